/** Status checks of projects, and what they answer about merge requests. */
import type { App } from '../../../app.ts'
import { inTransaction, type Tx } from '../../../db/database.ts'
import { now } from '../../../db/instants.ts'
import type { CheckStatus, Hook, MergeRequest, Project, StatusCheckAnswer, User } from '../../../db/tables.ts'
import { publish } from '../../../domain-events/domain-events.ts'
import { Failure, invalid, missing } from '../../../failure.ts'
import { branchRulesOf } from '../../repository/protected-refs/protected-refs.ts'
import { lockMergeRequest } from '../../review/merge-requests/merge-requests.ts'
import {
  checksOfProject,
  checksOn,
  replaceBranches,
  type StatusCheck,
  saveAnswer,
  statusesOf,
} from '../../review/status-checks/status-checks.ts'
import { askCheckAgain } from '../deliveries/deliveries.ts'
import { changeHook, createHook, type SentHook } from '../hooks/hooks.ts'

export interface SentCheck {
  name?: string | undefined
  external_url?: string | undefined
  /** Empty for none. */
  shared_secret?: string | undefined
  protected_branch_ids?: number[] | undefined
}

/** Throws 400 for a taken name, or a branch rule of another project, and 422 for a URL that may not be called. */
export async function createCheck(app: App, { id: project_id }: Project, sent: SentCheck & { name: string; external_url: string }) {
  await assertAcceptable(app, project_id, null, sent)
  const place = { project_id, namespace_id: null }
  const hook = { ...hookOf(sent), url: sent.external_url, ...onlyRequests, is_status_check: true } as const
  const { id } = await createHook(app, place, hook, (tx, made) => replaceBranches(tx, made.id, sent.protected_branch_ids ?? []))
  return checkOf(app, project_id, id)
}

/** Throws as `createCheck` does. The secret goes with the host it was made for. */
export async function changeCheck(app: App, project_id: number, check: StatusCheck, sent: SentCheck): Promise<StatusCheck> {
  await assertAcceptable(app, project_id, check, sent)
  const { protected_branch_ids: branches } = sent
  await changeHook(app, check, hookOf(sent), async (tx, { id }) => (branches ? replaceBranches(tx, id, branches) : undefined))
  return checkOf(app, project_id, check.id)
}

/** Throws 404 for one of another project. */
export async function checkOf({ db }: Pick<App, 'db'>, project_id: number, id: number): Promise<StatusCheck> {
  const check = (await checksOfProject(db, project_id)).find((one) => one.id === id)
  if (!check) throw missing()
  return check
}

const onlyRequests = { push_events: false, merge_requests_events: true } as const

function hookOf({ name, external_url, shared_secret }: SentCheck): SentHook {
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(external_url !== undefined && { url: external_url }),
    ...(shared_secret !== undefined && { token: shared_secret || null }),
  }
}

async function assertAcceptable({ db }: App, project_id: number, earlier: Hook | null, { name, protected_branch_ids }: SentCheck) {
  const others = (await checksOfProject(db, project_id)).filter(({ id }) => id !== earlier?.id)
  if (name !== undefined && name.trim() === '') throw invalid({ name: ["can't be blank"] })
  if (others.some((one) => one.name === name?.trim())) throw invalid({ name: ['has already been taken'] })
  const known = new Set((await branchRulesOf(db, project_id)).map(({ id }) => id))
  if (protected_branch_ids?.some((id) => !known.has(id))) throw invalid({ protected_branch_ids: ['is invalid'] })
}

interface Answer {
  check_id: number
  /** The head that was looked at. */
  sha: string
  status: CheckStatus
}

interface Answered {
  answer: StatusCheckAnswer
  check: StatusCheck
}

/** Throws 404 for a check that the request doesn't have, and 409 if its head is another by now. */
export function answerCheck(app: App, user: User, { id }: MergeRequest, { check_id, sha, status }: Answer): Promise<Answered> {
  return inTransaction(app.db, async (tx) => {
    const merge_request = await lockMergeRequest(tx, id)
    const check = merge_request && (await checksOn(tx, merge_request)).find((one) => one.id === check_id)
    if (!check) throw missing()
    if (merge_request.head_oid !== sha) throw new Failure('conflict', 'SHA does not match HEAD of source branch')
    return { answer: await save(tx, user, merge_request, { hook_id: check.id, head_oid: sha, status }), check }
  })
}

/** Asks a check again that has failed. Throws 404 for a check that the request doesn't have, and 422 if it hasn't failed. */
export async function retryCheck(app: App, user: User, { id }: MergeRequest, check_id: number): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const merge_request = await lockMergeRequest(tx, id)
    const found = merge_request && (await statusesOf(tx, merge_request, merge_request.head_oid)).find(({ check }) => check.id === check_id)
    if (!found || merge_request.head_oid === null) throw missing()
    if (found.status !== 'failed') throw new Failure('unprocessable', 'External status check must be failed')
    await save(tx, user, merge_request, { hook_id: check_id, head_oid: merge_request.head_oid, status: 'pending' })
    await askCheckAgain(tx, { ...found.check, isOfInstance: false }, merge_request, user.id)
  })
}

async function save(
  tx: Tx,
  user: User,
  merge_request: MergeRequest,
  answer: Pick<StatusCheckAnswer, 'hook_id' | 'head_oid' | 'status'>,
): Promise<StatusCheckAnswer> {
  const saved = await saveAnswer(tx, { merge_request_id: merge_request.id, ...answer })
  await publish(tx, { type: 'status_check_answered', merge_request, actor_id: user.id, at: now() })
  return saved
}
