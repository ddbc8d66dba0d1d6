/** Avatars of users, groups and projects: which images are accepted, and how they are stored and removed. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { webUrl } from '../../../addresses/links.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import type { Db } from '../../../db/database.ts'
import { Failure, invalid } from '../../../failure.ts'
import type { Upload } from '../../../http/parameters/upload.ts'
import { imageHeaderOf } from '../../instance/images.ts'
import { abandon, refer, storeObject } from '../object-storage/object-storage.ts'
import { identiconName } from './identicons.ts'

/** The columns of a row with an avatar; both are null if there is none. */
export interface Avatar {
  avatar_key: string | null
  avatar_name: string | null
}

const maxSide_pixels = 20_000

/** Image types that can't contain a script, and their media types. */
const mediaTypes: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  bmp: 'image/bmp',
  tiff: 'image/tiff',
  ico: 'image/x-icon',
  webp: 'image/webp',
}

/** Limits for a kind of image. */
export interface ImageRules {
  /** The parameter, which errors name. */
  field: string
  /** The folder in the objects store. */
  folder: string
  max_kib: number
  kinds: readonly string[]
}

/** Every kind of image that is accepted for one of its uses. */
export const imageKinds = Object.keys(mediaTypes)

/** As `acceptImage`, for an avatar. */
export function acceptAvatar(app: App, sent: Upload | null | undefined): Promise<Avatar | undefined> {
  return acceptImage(app, sent, { field: 'avatar', folder: 'avatars', max_kib: 200, kinds: imageKinds })
}

/**
 * Stores an image from a request. Null removes it, undefined keeps the present one. Throws 400 if it isn't an image of these kinds, or is
 * too large. Pass the result to `changeAvatar`.
 */
export async function acceptImage(
  app: App,
  sent: Upload | null | undefined,
  { field, folder, max_kib, kinds }: ImageRules,
): Promise<Avatar | undefined> {
  if (sent === undefined) return undefined
  if (sent === null) return { avatar_key: null, avatar_name: null }
  const { bytes } = sent
  const kind = kindOf(bytes)
  if (kind === null || !kinds.includes(kind))
    throw invalid({ [field]: [`file format is not supported. Please try one of the following supported formats: ${kinds.join(', ')}`] })
  if (bytes.length > max_kib * 1024) throw invalid({ [field]: [`is too big (should be at most ${max_kib} KB)`] })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const avatar_key = await storeObject(app, folder, Readable.from([bytes]), { size: bytes.length, sha256 })
  return { avatar_key, avatar_name: nameFor(sent.filename, kind) }
}

/** Part of the transaction that replaces `before` in the row with `after`; undefined changes nothing. */
export async function changeAvatar(tx: Db, before: Avatar | null, after: Avatar | undefined): Promise<void> {
  if (after === undefined) return
  if (after.avatar_key !== null && !(await refer(tx, after.avatar_key)))
    throw new Failure('timed_out', 'It took too long to store the avatar.')
  if (before?.avatar_key) await abandon(tx, before.avatar_key)
}

type Holder = { id: number } & Pick<Avatar, 'avatar_name'>

/** The URL of the avatar; null if there is none. */
export function avatarUrl(config: Config, of: 'group' | 'project', { id, avatar_name }: Holder): string | null {
  return avatar_name === null ? null : webUrl(config, `uploads/-/system/${of}/avatar/${id}/${avatar_name}`)
}

/** The URL of the avatar of a user, or of an identicon, as clients expect a picture. */
export function userAvatarUrl(config: Config, { id, avatar_name }: Holder): string {
  return webUrl(config, `uploads/-/system/user/avatar/${id}/${avatar_name ?? identiconName}`)
}

/** The media type, from the name under which the avatar is stored. */
export function mediaTypeOf(avatarName: string): string {
  return mediaTypes[avatarName.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
}

function kindOf(bytes: Buffer): string | null {
  const image = imageHeaderOf(bytes)
  if (!image || !Object.hasOwn(mediaTypes, image.kind)) return null
  const { kind, width, height } = image
  return width > 0 && height > 0 && Math.max(width, height) <= maxSide_pixels ? kind : null
}

/** The name of the file with the extension of its type, in characters that need no escaping in a URL. */
function nameFor(filename: string, kind: string): string {
  const stem = basename(filename)
    .replace(/\.[^.]*$/, '')
    .replace(/[^a-zA-Z0-9_-]/g, '_')
    .slice(0, 100)
  return `${stem || 'avatar'}.${kind}`
}
