// Owns the uploaded images of users, servers, applications and webhooks: how they and external pictures are encoded,
// their storage, their URLs, and the generated image of an owner without one.
// Does not own: the permission to change an image and the column with its hash; both belong to the owner's folder.
export { type EncodedImage, encodeImage, encodePicture, readImageUri } from './encode.ts'
export { deleteImage, deleteImages, type ImageKind } from './image-store.ts'
export { imageHash, imagePath, saveImage } from './images.ts'
