/**
 * Files of releases at URLs of their own: archives, `<project>/-/archive/<ref>/<name>.zip`, and links with a path,
 * `<project>/-/releases/<tag>/downloads/<path>`, and evidence, `<project>/-/releases/<tag>/evidences/<id>.json`. Users need
 * access to the code and, for evidence, to the issues.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mayUse } from '../access/features.ts'
import { canDownload, findProjectOnceAt } from '../access/find.ts'
import type { App } from '../app.ts'
import { notFound } from '../failure.ts'
import { evidenceAt, findLinkByPath, findRelease } from '../features/documents/releases/releases.ts'
import { archive } from '../features/repository/contents/contents.ts'
import { onBehalfOf, showingMergeRequests } from '../git/repository/handles.ts'
import { callerKey } from '../http/caller/callers.ts'
import { enterStream } from '../http/limits/streams.ts'
import { targetOf } from '../http/parameters/target.ts'
import type { Part } from '../http/reply/ranges.ts'
import { abortSignalOf } from '../http/serve/abort-signal.ts'
import { sendBytes } from '../http/serve/bytes.ts'
import { readerOfFile } from './file-caller.ts'

interface ReleaseFile {
  path: string
  wanted:
    | { kind: 'archive'; ref: string; format: string }
    | { kind: 'link'; tag: string; filepath: string }
    | { kind: 'evidence'; tag: string; id: number }
}

const archiveAddress = /^archive\/(.+)\/[^/]+\.(tar\.gz|tar\.bz2|tar|zip)$/
const linkAddress = /^releases\/(.+?)\/downloads(\/.+)$/
const evidenceAddress = /^releases\/([^/]+)\/evidences\/(\d{1,15})\.json$/

/** Whether a path is one of these, or almost. */
export function isReleaseFile(path: string): boolean {
  const at = path.indexOf('/-/')
  return (
    at > 0 &&
    (path.startsWith('archive/', at + 3) ||
      (path.startsWith('releases/', at + 3) && (path.includes('/downloads/', at) || path.includes('/evidences/', at))))
  )
}

/** Null for any other URL, and for any method other than GET and HEAD. */
export function releaseFileOf(request: FastifyRequest): ReleaseFile | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null
  const sent = targetOf(request).path
  // No group or project can be called `-`.
  const end = sent.indexOf('/-/')
  if (end < 0 || /%00/.test(sent)) return null
  const [path, rest] = [decodeURIComponent(sent.slice(1, end)), sent.slice(end + '/-/'.length)]
  const [, ref, format] = archiveAddress.exec(rest) ?? []
  if (ref !== undefined && format !== undefined) return { path, wanted: { kind: 'archive', ref: decodeURIComponent(ref), format } }
  const [, released, evidence] = evidenceAddress.exec(rest) ?? []
  if (released !== undefined) return { path, wanted: { kind: 'evidence', tag: decodeURIComponent(released), id: Number(evidence) } }
  const [, tag, filepath] = linkAddress.exec(rest) ?? []
  if (tag === undefined || filepath === undefined) return null
  return { path, wanted: { kind: 'link', tag: decodeURIComponent(tag), filepath: decodeURIComponent(filepath) } }
}

export async function answerReleaseFile(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { path, wanted }: ReleaseFile,
): Promise<FastifyReply> {
  const user = await readerOfFile(app, request, reply)
  const access = await findProjectOnceAt(app.db, path, user)
  if (!canDownload(access, user)) throw notFound('Project')
  const { project } = access
  if (wanted.kind === 'link') {
    const release = await findRelease(app.db, project.id, wanted.tag)
    const link = release && (await findLinkByPath(app.db, release.id, wanted.filepath))
    if (!link) throw notFound()
    return reply.redirect(link.url)
  }
  if (wanted.kind === 'evidence') {
    const release = mayUse('issues', access) ? await findRelease(app.db, project.id, wanted.tag) : null
    const evidence = release && (await evidenceAt(app.db, release.id, wanted.id))
    if (!evidence) throw notFound()
    const bytes = Buffer.from(evidence.summary)
    const describe = () => ({ type: 'application/json' })
    const open = (part?: Part) => (part ? bytes.subarray(part.start, part.end + 1) : bytes)
    const sent = { etag: `"${evidence.sha}"`, size: bytes.length, describe, open }
    return sendBytes(app, request, reply, sent, () => enterStream(app, request, reply, { user }))
  }
  const repo = onBehalfOf(showingMergeRequests(app.git.open(project.id), mayUse('merge_requests', access)), callerKey(request, user), () =>
    abortSignalOf(reply),
  )
  return sendBytes(app, request, reply, await archive(repo, project, wanted.ref, wanted.format), () =>
    enterStream(app, request, reply, { user }),
  )
}
