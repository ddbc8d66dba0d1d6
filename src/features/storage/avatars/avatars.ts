/** Avatars: what other features may use. */
export {
  type Avatar,
  acceptAvatar,
  acceptImage,
  avatarUrl,
  changeAvatar,
  imageKinds,
  mediaTypeOf,
  userAvatarUrl,
} from './avatars.service.ts'
