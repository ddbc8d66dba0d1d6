/** What protection means: who may push to, merge into and create which branches and tags. */
import { accessLevels } from '../../access/levels.ts'
import type { Db } from '../../db/database.ts'
import type { ProtectedBranch, ProtectedTag } from '../../db/tables.ts'
import { readSettings, type Settings } from '../settings/settings.service.ts'
import { branchRulesOf, insertBranchRule, tagRulesOf } from './protected-refs.queries.ts'

/** The rules of one project. */
export interface Protection {
  branches: ProtectedBranch[]
  tags: ProtectedTag[]
}

/** Two statements at most, none once they are remembered. */
export async function protectionOf(db: Db, projectId: number): Promise<Protection> {
  const [branches, tags] = await Promise.all([branchRulesOf(db, projectId), tagRulesOf(db, projectId)])
  return { branches, tags }
}

export function isProtectedBranch({ branches }: Protection, branch: string): boolean {
  return branches.some(({ name }) => matchesPattern(name, branch))
}

export function isProtectedTag({ tags }: Protection, tag: string): boolean {
  return tags.some(({ name }) => matchesPattern(name, tag))
}

/** Whether somebody with this access level may push to the branch. Of several rules that match, the mildest counts. */
export function mayPushTo({ branches }: Protection, level: number, branch: string): boolean {
  return mayBy(
    branches.filter(({ name }) => matchesPattern(name, branch)).map(({ push_level }) => push_level),
    level,
  )
}

export function mayMergeInto({ branches }: Protection, level: number, branch: string): boolean {
  return mayBy(
    branches.filter(({ name }) => matchesPattern(name, branch)).map(({ merge_level }) => merge_level),
    level,
  )
}

export function mayCreateTag({ tags }: Protection, level: number, tag: string): boolean {
  return mayBy(
    tags.filter(({ name }) => matchesPattern(name, tag)).map(({ create_level }) => create_level),
    level,
  )
}

/** Without a rule developers may. A rule of level 0 lets nobody, administrators neither. */
function mayBy(needed: number[], level: number): boolean {
  if (level < accessLevels.developer) return false
  return needed.length === 0 || needed.some((least) => least > 0 && level >= least)
}

/** Whether a name fits a pattern in which `*` stands for anything, slashes too. Takes linear time for any pattern. */
export function matchesPattern(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}

/** Protects the default branch of a repository that got its first one, as `default_branch_protection` says. */
export async function protectDefaultBranch(db: Db, projectId: number, branch: string): Promise<void> {
  const { default_branch_protection: wanted } = await readSettings(db)
  const protection = await protectionOf(db, projectId)
  if (wanted === 0 || isProtectedBranch(protection, branch)) return
  await insertBranchRule(db, { project_id: projectId, name: branch, ...levelsOf(wanted) })
}

function levelsOf(wanted: Settings['default_branch_protection']): { push_level: number; merge_level: number } {
  return {
    push_level: wanted === 1 ? accessLevels.developer : accessLevels.maintainer,
    merge_level: wanted === 3 ? accessLevels.developer : accessLevels.maintainer,
  }
}
