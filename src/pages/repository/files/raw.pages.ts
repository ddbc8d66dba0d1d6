/** The raw content of a file, which browsers never run. */
import { Type } from 'typebox'
import type { App } from '../../../app.ts'
import { rawBlob } from '../../../features/repository/contents/contents.ts'
import { findLargeFiles, pointerIn } from '../../../features/repository/lfs/lfs.ts'
import { readBlob } from '../../../git/objects/blobs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import type { RawHeaders, RawReply } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { page } from '../../frame/declaration.ts'
import { placeAt } from '../../project/address.ts'
import { entryAt, type FoundFile, fileOf, pictureType } from './found.ts'

const maxPointer_bytes = 1_024

const rawQuery = {
  /** `false` for a download. */
  inline: Type.Boolean({ default: true }),
  /** `picture` for an SVG within a page. */
  as: Type.Optional(Type.String()),
}

export const rawPages = [
  page('GET /:project/raw/*', {
    limit: 'raw_blob',
    access: project('code'),
    query: rawQuery,
    async show({ app, project, repo, params, sent }) {
      const file = await fileOf(repo, await entryAt(repo, await placeAt(repo, params['*'])))
      const large = file.size > maxPointer_bytes ? null : await largeFileOf(app, repo, project.id, file)
      const raw = large ?? rawBlob(repo, file, file.name)
      return { bytes: typed(raw, file.name, sent.inline, sent.as === 'picture') }
    },
  }),
]

/** The content of an LFS pointer; null if it isn't one, or the project doesn't have its content. */
async function largeFileOf(app: App, repo: Repo, project_id: number, { oid, name }: FoundFile): Promise<RawReply | null> {
  const data = (await readBlob(repo, oid))?.data
  const pointer = data ? pointerIn(data) : null
  const found = pointer && (await findLargeFiles(app.db, project_id, [pointer.oid])).get(pointer.oid)
  if (!found) return null
  return {
    etag: `"${found.oid}"`,
    size: found.size,
    describe: () => ({ type: 'application/octet-stream', 'content-disposition': disposition('attachment', name) }),
    open: (part) => app.store.open(found.store_key, part),
  }
}

/** Raster images have their type, and SVG if a page asks for it; everything else is text or a download. */
function typed(raw: RawReply, name: string, inline: boolean, isPicture: boolean): RawReply {
  const type = pictureType(name)
  const isDrawing = isPicture && /\.svg$/i.test(name)
  if (inline && type === null && !isDrawing) return raw
  return {
    ...raw,
    // The headers depend on the query, which is part of the URL: a cache never takes one reply for the other.
    async describe(): Promise<RawHeaders> {
      const headers = await raw.describe()
      if (!inline) return { ...headers, 'content-disposition': disposition('attachment', name) }
      const shown = { ...headers, 'content-disposition': disposition('inline', name) }
      if (type !== null) return { ...shown, type }
      // An SVG may have styles of its own, but no scripts.
      return { ...shown, type: 'image/svg+xml', 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }
    },
  }
}
