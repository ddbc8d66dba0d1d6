/** Avatars: what other features may use of them. */
export { type Avatar, acceptAvatar, avatarUrl, changeAvatar, mediaTypeOf, userAvatarUrl } from './avatars.service.ts'
