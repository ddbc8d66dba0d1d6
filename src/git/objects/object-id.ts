/** Object ids, and those with a meaning of their own. */

/** The id of no object, as `before` of a ref that is created and `after` of one that is deleted. */
export const noObject = '0'.repeat(40)

/** Git knows the empty tree in every repository, without having it. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}
