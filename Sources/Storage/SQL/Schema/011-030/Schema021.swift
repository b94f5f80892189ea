/// Tables, columns and facts get the names that the code has for them.
enum Schema021 {
    static let sql = """
        ALTER TABLE device RENAME COLUMN generation TO ownership;
        ALTER TABLE device RENAME COLUMN generationAt TO ownershipSince;
        ALTER TABLE historyTail RENAME TO historyBuffer;
        ALTER TABLE commandCall RENAME TO dispatch;
        DROP INDEX commandCallTime;
        CREATE INDEX dispatchTime ON dispatch (at);
        ALTER TABLE formerBond RENAME TO formerBinding;
        DROP INDEX formerBondDevice;
        CREATE INDEX formerBindingDevice ON formerBinding (did, lastCid);
        UPDATE meta SET name = 'historyCompacted' WHERE name = 'historySorted';
        UPDATE meta SET name = 'presenceReconciliationPending' WHERE name = 'rollCallPending';
        UPDATE meta SET name = 'vacuumErased' WHERE name = 'scrub';

        """
}
