/**
 * The services of the wire protocol, run by git over streams: upload-pack and upload-archive for readers, receive-pack for writers. Over
 * HTTP, each call is one request with its answer; over SSH it is one conversation, which starts with the refs.
 */

import { rm } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../../failure.ts'
import type { Answer } from '../clone-cache/clone-cache.ts'
import { flushObjects, foldersOf } from '../objects/quarantine.ts'
import { requireListableTree } from '../objects/unfolding.ts'
import { command } from '../process/command.ts'
import { extraConfig } from '../process/extra-config.ts'
import { failureIn } from '../process/git-failure.ts'
import { sendingDeadline_ms } from '../process/output.ts'
import type { GitChild } from '../process/run.ts'
import { flushRefs } from '../refs/ref-updates.ts'
import type { Repo } from '../repository/repository.ts'
import { readArchiveRequest } from './archive-request.ts'
import { serviceFailure } from './client-faults.ts'
import { cloneKey, parseClone, readRequest } from './fetch-request.ts'
import { hidingMergeRequests, hidingServiceRefs, namesHidden, requestShown } from './hidden-refs.ts'
import { answerHooks, type ReceiveHandlers } from './hooks.ts'
import { type Outcome, withReport } from './push-report.ts'

export type Service = 'git-upload-pack' | 'git-receive-pack' | 'git-upload-archive'

interface ServiceOptions {
  /** The value of GIT_PROTOCOL: `version=2`, or absent. */
  protocol?: string | undefined
  /** Ends a service that only reads. */
  signal?: AbortSignal | undefined
  /** The size at which git refuses a push; null for none. */
  maxInput_bytes?: number | null
  /** Added to the environment. */
  env?: Record<string, string>
}

/** One request of a conversation whose refs were already advertised; its body has an end. */
const byRequest = ['--stateless-rpc']

const refsDeadline_ms = 60_000
const serviceDeadline_ms = 6 * 60 * 60 * 1000

/** The advertisement of refs (protocol v0) or capabilities (v2) that begins every conversation over HTTP. */
export function advertise(repo: Repo, service: Service, options: ServiceOptions): GitChild {
  const hiding = service === 'git-receive-pack' ? hidingServiceRefs : {}
  const child = start(repo, service, [...byRequest, '--advertise-refs'], { ...options, env: hiding }, refsDeadline_ms)
  child.stdin.end()
  return child
}

export interface UploadOptions extends ServiceOptions {
  /** Called for clones only: whether the answer may be cached and served from the cache. */
  mayCache?: () => Promise<boolean>
}

/** Answers one request of a fetch: `input` is its body, the answer is read from `stdout`. Clones are cached. */
export async function uploadPack(repo: Repo, input: Readable, { protocol, signal, mayCache }: UploadOptions): Promise<Answer> {
  const { body, rest } = await readRequest(requestShown(repo, input))
  const begin = (options: ServiceOptions) => {
    const child = start(repo, 'git-upload-pack', byRequest, options, serviceDeadline_ms)
    if (rest === null) child.stdin.end(body)
    else {
      child.stdin.write(body)
      feed(rest, child)
    }
    return child
  }
  const clone = rest === null ? parseClone(body, protocol) : null
  // Others may read the same reply, so it continues when this client leaves.
  return clone && ((await mayCache?.()) ?? true)
    ? repo.git.clones.answer({ dir: repo.dir, key: () => cloneKey(repo, clone) }, () => begin({ protocol }), signal)
    : begin({ protocol, signal })
}

/**
 * Receives a push. Refs move only if `onProposed` accepts it; the client gets the report after `onReceived`. A push that has arrived
 * completely is carried out whether or not the client still waits, so refs never move without `onReceived`.
 */
export function receivePack(repo: Repo, input: Readable, handlers: ReceiveHandlers, options: Omit<ServiceOptions, 'signal'>): GitChild {
  const child = startReceiving(repo, byRequest, handlers, options)
  feed(input, child)
  return child
}

/** A fetch as one bidirectional stream between the client and git. */
export function converse(repo: Repo, input: Readable, options: ServiceOptions): GitChild {
  const child = start(repo, 'git-upload-pack', [], options, serviceDeadline_ms)
  listen(requestShown(repo, input), child)
  return child
}

/** An archive in the same way. The request is read before git starts; throws if its tree unfolds to too many entries. */
export async function converseArchive(repo: Repo, input: Readable, options: ServiceOptions): Promise<GitChild> {
  const { body, names } = await readArchiveRequest(input, options.signal)
  for (const name of names) {
    if (namesHidden(repo, name)) throw new Failure('not_found', `There is no ${name}.`)
    await requireListable(repo, name)
  }
  const child = start(repo, 'git-upload-archive', [], options, sendingDeadline_ms)
  child.stdin.write(body)
  listen(input, child)
  return child
}

async function requireListable(repo: Repo, name: string): Promise<void> {
  const found = await repo.git.objects.info(repo.dir, name)
  if (found) await requireListableTree(repo, found.oid)
}

/** A push as one conversation; otherwise as `receivePack`. */
export function converseReceiving(
  repo: Repo,
  input: Readable,
  handlers: ReceiveHandlers,
  options: Omit<ServiceOptions, 'signal'>,
): GitChild {
  const child = startReceiving(repo, [], handlers, options)
  listen(input, child)
  return child
}

function startReceiving(repo: Repo, flags: string[], given: ReceiveHandlers, options: ServiceOptions): GitChild {
  const handlers = durable(repo, given)
  const { maxInput_bytes = null } = options
  const env = maxInput_bytes === null ? {} : extraConfig([['receive.maxInputSize', String(maxInput_bytes)]])
  const child = start(repo, 'git-receive-pack', flags, { ...options, env }, serviceDeadline_ms, 2)
  const [fromHook, toHook] = child.pipes
  const outcome: Outcome = { failure: null, refusal: null }
  answerHooks(fromHook as Readable, toHook as Writable, handlers, outcome).catch((error: unknown) =>
    child.kill(error instanceof Failure ? error : undefined, lastWords_ms),
  )
  child.finished.then(handlers.onEnded, handlers.onEnded)
  return withReport(child, { repo, outcome, isConversation: flags.length === 0 })
}

/**
 * Flushes objects and refs to disk before the push is reported as received. Objects come first: no ref may be on disk without what it leads
 * to.
 */
function durable(repo: Repo, handlers: ReceiveHandlers): ReceiveHandlers {
  let folders: string[] = []
  let quarantine = ''
  return {
    max_changes: handlers.max_changes,
    async onProposed(push) {
      quarantine = push.quarantine
      folders = await foldersOf(quarantine)
      return handlers.onProposed(push)
    },
    async onReceived(changes) {
      await flushObjects(repo, folders)
      await flushRefs(repo, changes)
      return handlers.onReceived(changes)
    },
    async onEnded() {
      // Git removes it, unless it was killed.
      if (basename(quarantine).startsWith('tmp_objdir-')) await rm(quarantine, { recursive: true, force: true }).catch(() => {})
      handlers.onEnded()
    },
  }
}

/**
 * Waits until git begins to answer. Fails if git ends with an error before its first byte: later, only the stream itself can report errors.
 */
export async function whenStarted({ stdout, finished }: Answer, repo: Repo): Promise<Readable> {
  await new Promise<void>((resolve) => {
    stdout.once('readable', resolve)
    stdout.once('close', resolve)
  })
  if (stdout.readableLength > 0) return stdout
  // A stream that has ended reports this to its reader.
  stdout.read()
  const { code, stderr } = await finished
  if (code === 0) return stdout
  const failure = serviceFailure(code, stderr)
  throw failure.code === 'git_failed' ? await failureIn(repo.dir, ['of a client'], code, stderr) : failure
}

function start(repo: Repo, service: Service, flags: string[], options: ServiceOptions, deadline_ms: number, extra_pipes = 0): GitChild {
  const hiding = service === 'git-upload-pack' && !repo.showsMergeRequests ? hidingMergeRequests : {}
  const env = { ...options.env, ...hiding, ...(options.protocol && { GIT_PROTOCOL: options.protocol }) }
  const args = [...command`${service.slice('git-'.length)}`, ...flags, repo.dir]
  return repo.git.start(args, { dir: repo.dir, env, signal: options.signal, deadline_ms, extra_pipes })
}

/** How long git may take to report why a push failed after its refs moved; afterwards it is killed. */
const lastWords_ms = 500

/** How long git may take to clean up after a truncated body; afterwards it is killed. */
const cleanUp_ms = 5_000

/**
 * Passes the body to git. A truncated body ends git's input too early: git notices, removes the objects of the push and exits. If it were
 * killed meanwhile, its quarantine would stay on disk.
 */
function feed(input: Readable, child: GitChild): void {
  pipeline(input, child.stdin).catch((error: NodeJS.ErrnoException | Failure) => {
    // EPIPE: git has read all it needs. Any other error means that the body is incomplete.
    if (error.code === 'EPIPE') return
    const failure = error instanceof Failure ? error : new Failure('invalid', 'The request did not arrive whole.', { cause: error })
    child.kill(failure, cleanUp_ms)
  })
}

/**
 * Passes the client's stream to git. A lost connection counts as the end of input: git then removes incomplete data, and finishes what is
 * complete. When git stops reading, further input is dropped, and the output continues.
 */
function listen(input: Readable, { stdin }: GitChild): void {
  input.once('close', () => stdin.end())
  stdin.once('error', () => input.unpipe(stdin).resume())
  input.pipe(stdin)
}
