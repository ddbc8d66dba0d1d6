/** Identicons: pictures of users without an avatar. They depend on the user id alone, never on an email address. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** No uploaded avatar has this name (`nameFor`). Change the number when the drawing changes. */
export const identiconName = 'identicon.v1.png'

const side_pixels = 160

/** About 1 KiB each. */
const drawn = new LRUCache<number, Buffer>({ max: 1_000 })

/** The image of a user as PNG: the same on every server for the same id. Drawing takes 2 ms. */
export async function identiconOf(userId: number): Promise<Buffer> {
  const known = drawn.get(userId)
  if (known) return known
  const { toPng } = await import('jdenticon')
  const image = toPng(createHash('sha256').update(`user ${userId}`).digest('hex'), side_pixels)
  drawn.set(userId, image)
  return image
}
