// The shared worker with one stream for all tabs. Browsers open at most six connections to an origin.

import { Feed } from './feed-core.js';

// From /console/v/{version}/base/.
const feed = new Feed(new URL('../../../../api/v1/', self.location.href));

self.onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    feed.watch(port, data.watch);
    // The tab holds this lock while the tab is open. A crash also releases the lock.
    if (data.lock) self.navigator.locks?.request(data.lock, () => feed.watch(port, null));
  };
};
