// Owns the pictures of other hosts that clients show: the avatars of webhooks and the pictures of embeds. The service
// fetches, encodes and caches them, so that no other host learns the IP address of a reader. Signs the paths under
// which it serves them. Does not own: uploaded images (images/), and the IP addresses that a fetch may connect to
// (outgoing/).
export { createMediaProxy } from './media-proxy.ts'
export { createPictureCache } from './picture-cache.ts'
export { createProxyUrls, type ProxyUrls } from './proxy-urls.ts'
