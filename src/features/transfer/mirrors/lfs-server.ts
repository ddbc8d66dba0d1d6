/** A client of the batch protocol of Git LFS, for the LFS server of a remote repository. */
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { App } from '../../../app.ts'
import { Failure, invalid } from '../../../failure.ts'
import { post } from '../../../outgoing/post.ts'
import { type PinnedTarget, readTarget } from '../../../outgoing/ssrf-guard.ts'
import { parseUrl } from '../../../text/parse-url.ts'
import { withoutTrailing } from '../../../text/trailing.ts'
import { locateTarget } from '../../instance/targets.ts'
import type { LargeFile } from '../../repository/lfs/lfs.ts'

export interface LfsServer {
  /** `https://git.example.com/group/project.git/info/lfs` */
  target: PinnedTarget
  /** In addition to the credentials of the target. */
  header: Record<string, string>
}

const mediaType = 'application/vnd.git-lfs+json'
const deadline_ms = 60_000
/** Limit of an answer: URLs of object stores are long. */
const max_bytes = 4 * 1024 ** 2
/** Allowed ports below 1024, for repositories and LFS files alike. */
export const ports = [22, 80, 443]

const Header = Type.Record(Type.String(), Type.String())
const ActionShape = Type.Object({ href: Type.String(), header: Type.Optional(Header) })
const Answer = Type.Object({
  objects: Type.Array(
    Type.Object({
      oid: Type.String(),
      actions: Type.Optional(
        Type.Object({
          upload: Type.Optional(ActionShape),
          download: Type.Optional(ActionShape),
          verify: Type.Optional(ActionShape),
        }),
      ),
      error: Type.Optional(Type.Unknown()),
    }),
  ),
})
const Address = Type.Object({ href: Type.String(), header: Type.Optional(Header) })

export interface Action {
  href: string
  header: Record<string, string>
}

/** Over HTTP, the LFS server is at a path of the repository. */
export function lfsServerOverHttp(repository: PinnedTarget): LfsServer {
  const url = new URL(repository.url)
  url.pathname = `${withoutTrailing(url.pathname, '/').replace(/\.git$/, '')}.git/info/lfs`
  return { target: { ...repository, url: url.href }, header: {} }
}

/** The answer of `git-lfs-authenticate` over SSH. */
export async function lfsServerOverSsh(app: App, output: string): Promise<LfsServer> {
  const address = parsed(output)
  if (!Value.Check(Address, address)) throw notSpoken()
  return { target: await targetOf(app, address), header: allowed(address.header) }
}

/** Validated like any URL, as it may be on another host. */
export async function targetOf(app: App, { href }: { href: string }): Promise<PinnedTarget> {
  return locateTarget(app, readTarget(href, { local: true, ports }))
}

type Actions = Partial<Record<'upload' | 'download' | 'verify', Action>>

/** The action for each file, without those for which the server reported an error. Null if the server has no LFS. */
export async function askForActions(
  { target, header }: LfsServer,
  operation: 'upload' | 'download',
  files: LargeFile[],
  signal: AbortSignal,
): Promise<Map<string, Actions> | null> {
  const url = `${withoutTrailing(target.url, '/')}/objects/batch`
  const objects = files.map(({ oid, size }) => ({ oid, size }))
  const reply = await post({ ...target, url }, posting({ operation, transfers: ['basic'], objects, hash_algo: 'sha256' }, header, signal))
  if ([403, 404, 405, 410, 501].includes(reply.status)) return null
  const answer = reply.status === 200 ? parsed(reply.body) : null
  if (!Value.Check(Answer, answer))
    throw reply.status === 200 ? notSpoken() : invalid(`The host of the large files answered with ${reply.status}`)
  const mine = authorizationFor(target)
  return new Map(
    answer.objects.flatMap(({ oid, actions = {}, error }) =>
      error === undefined ? [[oid, withHeaders(actions, target, mine)] as const] : [],
    ),
  )
}

/** Verifies an upload. */
export async function confirm(app: App, { href, header }: Action, { oid, size }: LargeFile, signal: AbortSignal): Promise<void> {
  const { status } = await post(await targetOf(app, { href }), posting({ oid, size }, header, signal))
  if (status < 200 || status > 299) throw invalid(`The host of the large files answered with ${status}`)
}

function posting(body: object, header: Record<string, string>, signal: AbortSignal) {
  const headers = { ...header, accept: mediaType, 'content-type': mediaType }
  return { headers, body: Buffer.from(JSON.stringify(body)), deadline_ms, max_bytes, verifies: true, signal }
}

/** An action without headers at the same origin uses the credentials of the request. */
function withHeaders(
  actions: Partial<Record<keyof Actions, { href: string; header?: Record<string, string> }>>,
  { url }: PinnedTarget,
  mine: Record<string, string>,
): Actions {
  const own = (href: string) => parseUrl(href)?.origin === new URL(url).origin
  return Object.fromEntries(
    Object.entries(actions).map(([name, { href, header }]) => [name, { href, header: header ? allowed(header) : own(href) ? mine : {} }]),
  )
}

function authorizationFor({ credentials }: PinnedTarget): Record<string, string> {
  if (!credentials) return {}
  return { authorization: `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}` }
}

const ownHeaders = ['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade', 'expect']

/** Headers of HTTP itself are set by us; invalid headers are dropped. */
function allowed(header: Record<string, string> = {}): Record<string, string> {
  const entries = Object.entries(header).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(
    entries.filter(([name, value]) => /^[a-z0-9-]+$/.test(name) && !ownHeaders.includes(name) && /^[\x20-\x7e]*$/.test(value)),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function notSpoken(): Failure {
  return new Failure('invalid', 'The host of the large files does not speak Git LFS')
}
