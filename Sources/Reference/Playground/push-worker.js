// The playground's service worker shows pushes even while the page is closed.

self.addEventListener("push", event => {
  const { title, text, notificationId } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body: text, tag: notificationId }));
});

self.addEventListener("notificationclick", event => {
  event.notification.close();
  event.waitUntil(showPage());
});

/** Brings the playground's page to the front, or opens it. */
async function showPage() {
  const address = new URL("../try.html", self.location).href;
  const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find(({ url }) => url.startsWith(address));
  return page ? page.focus() : self.clients.openWindow(address);
}
