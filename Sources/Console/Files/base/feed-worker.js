// The shared worker: one stream for all tabs, since browsers open at most six connections to an origin.

import { Feed } from './feed-core.js';

// From /console/v/{version}/base/.
const feed = new Feed(new URL('../../../../api/v1/', self.location.href));

self.onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    feed.watch(port, data.watch);
    // The tab holds this lock as long as the tab is open; a crash of the tab also releases the lock.
    if (data.lock) self.navigator.locks?.request(data.lock, () => feed.watch(port, null));
  };
};
