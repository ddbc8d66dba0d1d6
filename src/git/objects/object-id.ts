/** Object ids with a special meaning. */

/** The null id: `before` of a ref that is created, `after` of one that is deleted. */
export const noObject = '0'.repeat(40)

/** Git knows the empty tree in every repository, even if it isn't stored. */
export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}
