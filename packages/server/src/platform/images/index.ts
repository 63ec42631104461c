// Owns the pictures of people, servers, applications and webhooks: what counts as one, where it is kept, its address,
// and the generated one where none was given.
// Does not own: who may change a picture, and which one an owner shows; that stands with the owner.
export { checkImage, type ImageType } from './check-image.ts'
export { dropImage, type ImageKind, imagePath, saveImage } from './images.ts'
