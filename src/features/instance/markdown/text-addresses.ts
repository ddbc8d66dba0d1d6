/** Resolves the URLs in a text: into the project, into the wiki, or elsewhere. */

export interface ProjectHome {
  /** The URL of its page, without a slash at its end. */
  url: string
  /** The revision that files are looked for in: the default branch, unless the text is a file of another. */
  default_branch: string | null
  /** The base of relative links instead, on pages of a wiki: the address of the wiki. */
  wiki?: string | undefined
  /** For a file, the folder it is in, empty for the root. Its links are relative to it, and those with a slash to the root. */
  folder?: string
}

/** The scheme of an address, as browsers read it; null for one that is relative. */
export function schemeOf(address: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers leave them out
  return /^([a-z][a-z0-9+.-]*):/.exec(address.replace(/[\x00-\x20]+/g, '').toLowerCase())?.[1] ?? null
}

/** Whether a URL isn't a path to a file or page: an anchor in the same text, another host, or a scheme. */
function isElsewhere(address: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers leave them out
  return /^(?:[\x00-\x20]*(?:#|$|[/\\]{2}))/.test(address) || schemeOf(address) !== null
}

const upload = /^\/uploads\/[0-9a-f]{32}\//

/**
 * A link of a page leads to another page from the root of the wiki. One that begins with a dot, or names a file by its ending, leads on
 * from the folder of the page; attachments are in a folder of the root.
 */
function inWiki(address: string, { url, wiki = '', folder = '' }: ProjectHome): string {
  if (isElsewhere(address) || address.startsWith('?')) return address
  if (upload.test(address)) return url + address
  const isBeside =
    /^\.{1,2}\//.test(address) || (/^[^/?#][^?#]*\.[a-z0-9]{1,10}(?:[?#]|$)/i.test(address) && !address.startsWith('uploads/'))
  const within = isBeside && folder !== '' ? `${folder.split('/').map(encodeURIComponent).join('/')}/` : ''
  const resolved = URL.parse(address, `http://host/${within}`)
  return resolved?.host === 'host' ? `${wiki}${resolved.pathname}${resolved.search}${resolved.hash}` : address
}

/** An address without a host leads into the project: to its uploads, or to a file of a revision. */
export function absolute(address: string, home: ProjectHome | undefined, files: 'blob' | 'raw'): string {
  if (home?.wiki !== undefined) return inWiki(address, home)
  if (!home || isElsewhere(address)) return address
  if (upload.test(address)) return home.url + address
  const { folder, default_branch } = home
  if (default_branch === null || (folder === undefined && /^[/\\?]/.test(address))) return address
  const branch = default_branch.split('/').map(encodeURIComponent).join('/')
  const start = `${home.url}/${files}/${branch}`
  if (folder === undefined) return `${start}/${address.replace(/^\.\//, '')}`
  // Resolved here, as a path with `..` could leave the files, and never above the root.
  const within = folder === '' ? '' : `${folder.split('/').map(encodeURIComponent).join('/')}/`
  const resolved = URL.parse(address, `http://host/${within}`)
  if (resolved?.host !== 'host') return address
  const { pathname, search, hash } = resolved
  // Pictures of vectors are text unless a page asks for them as a picture.
  return `${start}${pathname}${files === 'raw' && /\.svg$/i.test(pathname) ? '?as=picture' : search}${hash}`
}
