/** The rules of the links among the assets of a release. */
import { type Db, inTransaction, isUniqueViolation } from '../../../db/database.ts'
import type { ReleaseLink } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import { isUrl } from '../../../text/parse-url.ts'
import { assertValid, blankError, lengthError } from '../../../validation.ts'
import { insertLink, linksOf, updateLink } from './releases.queries.ts'
import { type LinkChange, maxLinks, type NewLink } from './releases.schema.ts'

const longestName = 255
const longestUrl = 2_048
const longestPath = 128

/** The stored columns of a link. */
type LinkValues = Pick<ReleaseLink, 'name' | 'url' | 'filepath' | 'link_type'>

/** Throws 400 for invalid values and duplicates among the links. */
export function readLinks(links: NewLink[]): LinkValues[] {
  const read = links.map(({ name, url, direct_asset_path, filepath, link_type }) => {
    const path = (direct_asset_path ?? filepath) || null
    assertLink({ name, url, filepath: path })
    return { name, url: asciiOf(url), filepath: path, link_type }
  })
  for (const field of ['name', 'url', 'filepath'] as const) {
    const values = read.flatMap((link) => link[field] ?? [])
    if (new Set(values).size < values.length) throw taken(field)
  }
  return read
}

/** Throws 400 for a value that another link of the release has, and beyond the max number of links. */
export async function addLinks(tx: Db, release: { id: number; project_id: number }, links: LinkValues[]): Promise<ReleaseLink[]> {
  const known = (await linksOf(tx, [release.id])).get(release.id)?.length ?? 0
  if (known + links.length > maxLinks) throw invalid(`A release has ${maxLinks} links at most`)
  const added: ReleaseLink[] = []
  for (const link of links) {
    added.push(await insertLink(tx, { ...link, project_id: release.project_id, release_id: release.id }).catch(throwTaken))
  }
  return added
}

/** Throws 400 for invalid values and for those of another link of the release. */
export async function changeLink(db: Db, id: number, change: LinkChange): Promise<ReleaseLink> {
  const { name, url, link_type, direct_asset_path: path = change.filepath } = change
  const filepath = path === undefined ? undefined : path || null
  assertLink({ name, url, filepath })
  return updateLink(db, id, {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url: asciiOf(url) }),
    ...(filepath !== undefined && { filepath }),
    ...(link_type !== undefined && { link_type }),
  }).catch(throwTaken)
}

/** Percent-encodes other characters, so that the length in the database index equals the number of characters. */
function asciiOf(url: string): string {
  return /^[!-~]*$/.test(url) ? url : new URL(url).href
}

/** Adds a single link. */
export async function addLink(db: Parameters<typeof inTransaction>[0], release: { id: number; project_id: number }, link: NewLink) {
  const [added] = await inTransaction(db, (tx) => addLinks(tx, release, readLinks([link])))
  return added as ReleaseLink
}

/** Throws 400 naming each invalid field. Undefined fields are kept. */
function assertLink({
  name,
  url,
  filepath,
}: {
  name?: string | undefined
  url?: string | undefined
  filepath?: string | null | undefined
}): void {
  assertValid({
    name: name === undefined ? null : (blankError(name) ?? controlError(name) ?? lengthError(name, longestName)),
    url: url === undefined ? null : (blankError(url) ?? urlError(url) ?? lengthError(asciiOf(url), longestUrl)),
    filepath: filepath ? (lengthError(filepath, longestPath) ?? pathError(filepath)) : null,
  })
}

export function controlError(text: string): string | null {
  return /[\p{Cc}\p{Cs}]/u.test(text) ? 'is invalid' : null
}

/** Rejects URLs that a browser would execute. */
function urlError(url: string): string | null {
  const refusal = 'is blocked: Only allowed schemes are http, https, ftp'
  if (controlError(url) || /\s/.test(url) || !isUrl(url)) return 'must be a valid URL'
  const { protocol, hostname } = new URL(url)
  if (!['http:', 'https:', 'ftp:'].includes(protocol)) return refusal
  return hostname === '' || !/^\w+:\/\//.test(url) ? 'must be a valid URL' : null
}

/** `/bin/linux-amd64`: plain parts, none of which leads upward, with a letter or digit at the end. */
function pathError(path: string): string | null {
  const [first, ...parts] = path.split('/')
  const isPlain = first === '' && parts.length > 0 && parts.every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part))
  return isPlain && /[0-9A-Za-z]$/.test(path) ? null : 'is in an invalid format'
}

function throwTaken(error: unknown): never {
  const column = ['filepath', 'name', 'url'].find(
    (name) => isUniqueViolation(error, `release_links.${name}`) || isUniqueViolation(error, `release_links_${name}`),
  )
  throw column === undefined ? error : taken(column, error)
}

function taken(field: string, cause?: unknown) {
  return invalid({ [field]: ['has already been taken'] }, cause)
}
