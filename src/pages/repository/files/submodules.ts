/** Links the submodules of a folder to the tree of their commit, here or on another host. */
import type { App } from '../../../app.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import { findEntry, objectInfo, readCommit } from '../../../git/objects/read.ts'
import type { ListedEntry } from '../../../git/objects/trees.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { isUrl } from '../../../text/parse-url.ts'
import { withoutTrailing } from '../../../text/trailing.ts'
import type { Place } from '../../project/address.ts'

/** A larger file is no list of submodules. */
const max_bytes = 256 * 1024

/** Addresses by the paths of submodules; without those whose URL leads to no page. No process where the folder has none. */
export async function submoduleAddresses(
  { config }: Pick<App, 'config'>,
  repo: Repo,
  { commit, project, rows }: Pick<Place, 'commit'> & { project: string; rows: readonly ListedEntry[] },
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const submodules = rows.filter(({ type }) => type === 'commit')
  if (submodules.length === 0) return found
  const entry = await findEntry(repo, (await readCommit(repo, commit)).tree, '.gitmodules')
  const info = entry?.type === 'blob' ? await objectInfo(repo, entry.oid) : null
  if (!info || info.size > max_bytes) return found
  const urls = urlsIn((await readBlob(repo, info.oid))?.data.toString('utf8') ?? '')
  for (const { path, oid } of submodules) {
    const url = urls.get(path)
    const address = url === undefined ? null : pageOf(url, oid, { own: config.url, project })
    if (address !== null) found.set(path, address)
  }
  return found
}

/** The URLs of a file `.gitmodules`, by the paths of the submodules. */
export function urlsIn(text: string): ReadonlyMap<string, string> {
  const urls = new Map<string, string>()
  for (const section of text.split(/^[ \t]*\[/m)) {
    const read = (name: string) =>
      new RegExp(`^[ \\t]*${name}[ \\t]*=(.*)$`, 'm')
        .exec(section)?.[1]
        ?.trim()
        .replace(/^"(.*)"$/, '$1')
    const [path, url] = [read('path'), read('url')]
    if (section.startsWith('submodule') && path && url) urls.set(withoutTrailing(path, '/'), url)
  }
  return urls
}

/** The page of a commit of the repository at a URL; null for what no browser opens. */
export function pageOf(url: string, oid: string, { own, project }: { own: string; project: string }): string | null {
  const whole = /^\.\.?\//.test(url) ? resolved(url, `${own}/${project}`) : asHttp(url)
  if (whole === null || !isUrl(whole)) return null
  const { protocol, host, pathname, search, username, password } = new URL(whole)
  if (!/^https?:$/.test(protocol) || search !== '' || username !== '' || password !== '') return null
  // Two slashes at its beginning would name another host.
  const path = withoutTrailing(pathname.replace(/^\/+/, '/'), '/').replace(/\.git$/, '')
  if (path.split('/').length < 3) return null
  const here = new URL(own)
  return host === here.host ? `${path}/tree/${oid}` : `${protocol}//${host}${path}${treeOf(host, oid)}`
}

/** As the large forges write it; elsewhere the repository alone. */
function treeOf(host: string, oid: string): string {
  if (/(?:^|\.)(?:github|gitlab)\./.test(host)) return `/tree/${oid}`
  return /(?:^|\.)(?:codeberg|gitea|forgejo)\./.test(host) ? `/src/commit/${oid}` : ''
}

/** `../other.git` stands beside the project, as git reads it. */
function resolved(url: string, base: string): string | null {
  const parts = base.split('/')
  for (const part of url.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  // Above the host there is nothing.
  return parts.length > 3 ? parts.join('/') : null
}

/** SSH names the same repository that the web shows over HTTPS. */
function asHttp(url: string): string | null {
  if (/^https?:\/\//i.test(url)) return url
  const [, host, path] = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)(?::\d+\/|[:/])(.+)$/.exec(url) ?? []
  return host === undefined || path === undefined ? null : `https://${host}/${path.replace(/^\/+/, '')}`
}
