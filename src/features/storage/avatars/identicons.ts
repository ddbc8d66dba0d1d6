/** Identicons: the pictures of users who have sent none, made of the number of a user alone, never of an email address. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** No avatar that was sent has this name (`nameFor`): with another drawing it gets another number. */
export const identiconName = 'identicon.v1.png'

const side_pixels = 160

/** About 1 KiB each. */
const drawn = new LRUCache<number, Buffer>({ max: 1_000 })

/** The image of a user as PNG: the same for the same number, on every server. Drawing takes 2 ms. */
export async function identiconOf(userId: number): Promise<Buffer> {
  const known = drawn.get(userId)
  if (known) return known
  const { toPng } = await import('jdenticon')
  const image = toPng(createHash('sha256').update(`user ${userId}`).digest('hex'), side_pixels)
  drawn.set(userId, image)
  return image
}
