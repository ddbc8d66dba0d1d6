/** Which status checks a merge request has, and what they say about its head. */
import type { Db } from '../../../db/database.ts'
import type { CheckStatus, MergeRequest } from '../../../db/tables.ts'
import { branchProtectionOf } from '../../repository/protected-refs/protected-refs.ts'
import { answersAbout, checksOfProject, type StatusCheck } from './status-checks.queries.ts'

type Targeted = Pick<MergeRequest, 'id' | 'project_id' | 'target_branch'>

export interface CheckedStatus {
  check: StatusCheck
  status: CheckStatus
}

/** The checks for its target branch, oldest first. One statement if the project has none, four otherwise. */
export async function checksOn(db: Db, { project_id, target_branch }: Omit<Targeted, 'id'>): Promise<StatusCheck[]> {
  const checks = await checksOfProject(db, project_id)
  if (checks.length === 0) return []
  const matching = (await branchProtectionOf(db, project_id)).branches.matching(target_branch).map(({ id }) => id)
  return checks.filter((check) => isFor(check, matching))
}

export function isFor({ protected_branch_ids }: StatusCheck, matching: readonly number[]): boolean {
  return protected_branch_ids.length === 0 || protected_branch_ids.some((id) => matching.includes(id))
}

/** A push makes earlier answers void. */
export async function statusesOf(db: Db, merge_request: Targeted, head_oid: string | null): Promise<CheckedStatus[]> {
  const checks = await checksOn(db, merge_request)
  if (checks.length === 0) return []
  const answers = await answersAbout(db, merge_request.id)
  return checks.map((check) => {
    const answer = answers.find(({ hook_id }) => hook_id === check.id)
    return { check, status: answer && answer.head_oid === head_oid ? answer.status : 'pending' }
  })
}

export function havePassed(checks: readonly CheckedStatus[]): boolean {
  return checks.every(({ status }) => status === 'passed')
}
