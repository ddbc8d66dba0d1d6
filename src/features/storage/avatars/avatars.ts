/** Avatars: what other features may use of them. */
export { type Avatar, acceptAvatar, avatarUrl, changeAvatar, mediaTypeOf } from './avatars.service.ts'
