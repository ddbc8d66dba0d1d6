/** Avatars: what other features may use. */
export { type Avatar, acceptAvatar, avatarUrl, changeAvatar, mediaTypeOf, userAvatarUrl } from './avatars.service.ts'
