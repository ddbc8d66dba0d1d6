/** Branches as rows: their divergence from the default branch, and their actions. */

import { mayUse } from '../../../access/features.ts'
import { canPush, type LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { mergeRequestAddress, newMergeRequestAddress } from '../../../addresses/merge-requests.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { branchProtectionOf, isProtectedBranch } from '../../../features/repository/protected-refs/protected-refs.ts'
import { openProposalsOf, type ProposedBranch } from '../../../features/review/merge-requests/merge-requests.ts'
import { type Divergence, divergencesFrom } from '../../../git/history/divergence.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommits } from '../../../git/objects/read.ts'
import type { Ref } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Visit } from '../../frame/declaration.ts'
import { form, hidden } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'
import { badge, branchLink, branchNamed, commitOfRef, downloadMenu } from './parts.ts'
import { branchSentences } from './sentences.ts'

interface BranchRow extends Ref {
  last: Commit
  isDefault: boolean
  isProtected: boolean
  /** Null if it could not be counted in time, or there is no default branch. */
  divergence: Divergence | null
  isDeletable: boolean
  /** The merge request of the branch, if the viewer can see it. */
  proposal: ProposedBranch | null
  /** Whether the viewer may create a merge request for it. */
  isProposable: boolean
}

/**
 * Reads the details of branches: one process for the divergence, unless that is cached, and one statement each for the protection and for
 * the merge requests.
 */
export async function describeBranches(
  app: App,
  { project, level, user, repo }: ProjectGranted & { user: User | null },
  refs: Ref[],
): Promise<BranchRow[]> {
  const base = project.default_branch && (await resolveCommit(repo, `refs/heads/${project.default_branch}`))
  const tips = refs.map(({ oid }) => oid)
  const [commits, protection, proposals, divergences] = await Promise.all([
    readCommits(repo, tips),
    branchProtectionOf(app.db, project.id),
    openProposalsOf(
      app.db,
      user,
      project.id,
      refs.map(({ name }) => name),
    ),
    base ? divergencesFrom(repo, base, tips) : null,
  ])
  const pushes = canPush({ project, level })
  return refs.map((ref, index) => {
    const isDefault = ref.name === project.default_branch
    const isProtected = isProtectedBranch(protection, ref.name)
    return {
      ...ref,
      last: commits[index] as Commit,
      isDefault,
      isProtected,
      divergence: isDefault ? null : (divergences?.get(ref.oid) ?? null),
      proposal: proposals.get(ref.name) ?? null,
      isProposable: pushes && !isDefault && mayUse('merge_requests', { project, level }) && divergences?.get(ref.oid)?.ahead !== 0,
      // Must match the rules of pushes.
      isDeletable: pushes && !isDefault && (!isProtected || may('delete_protected_branches', level)),
    }
  })
}

export function branchRows(visit: Visit, project: LocatedProject, rows: readonly BranchRow[]): Html {
  return html`<ul class="rows refs">${rows.map((row) => branchRow(visit, project, row))}</ul>`
}

function branchRow(visit: Visit, project: LocatedProject, row: BranchRow): Html {
  const { name, isDefault, isProtected, divergence } = row
  const isMerged = divergence !== null && divergence.ahead === 0 && divergence.behind > 0
  return html`
    <li>
      <div class="what">
        ${branchLink(project, name)}
        ${isDefault && badge(t`default`)}${isProtected && badge(t`protected`)}${isMerged && badge(t`merged`, 'added')}
        <p>${commitOfRef(project, row.last)}</p>
      </div>
      ${!isDefault && project.default_branch !== null && divergenceBar(project.default_branch, divergence)}
      <div class="facts">
        ${!isDefault && project.default_branch !== null && compareLink(project, project.default_branch, name)}
        ${row.proposal ? proposedLink(project, row.proposal) : row.isProposable && proposalLink(project, name)}
        ${downloadMenu(project, branchNamed(name))}${row.isDeletable && deletion(visit, project, row)}
      </div>
    </li>
  `
}

function compareLink({ full_path }: LocatedProject, base: string, name: string): Html {
  const range = [base, name].map((branch) => encodeURIComponent(branchNamed(branch).revision)).join('...')
  return html`<a class="button" href="/${full_path}/compare/${range}">Compare<span class="unseen"> <bdi>${name}</bdi></span></a>`
}

function proposedLink({ full_path }: LocatedProject, { iid, title, project_path }: ProposedBranch): Html {
  const name = project_path === full_path ? `!${iid}` : `${project_path}!${iid}`
  return html`
    <a class="button" href="${mergeRequestAddress({ full_path: project_path }, iid)}" title="${title}">${icon('merge')}
      ${name}<span class="unseen"> ${title}</span></a>
  `
}

function proposalLink(project: LocatedProject, name: string): Html {
  return html`
    <a class="button" href="${newMergeRequestAddress(project, { branch: name })}">Merge
      request<span class="unseen"> of <bdi>${name}</bdi></span></a>
  `
}

const half = 50

/** Behind to the left, ahead to the right; the text says the same. Logarithmic: a single commit is visible, and a thousand fit. */
function divergenceBar(base: string, divergence: Divergence | null): Html {
  if (!divergence) return html`<div class="divergence hint">${branchSentences.uncounted}</div>`
  const { ahead, behind } = divergence
  const widthOf = (commits: number) => Math.round(Math.min(half, Math.log2(commits + 1) * 4.5) * 10) / 10
  const [left, right] = [widthOf(behind), widthOf(ahead)]
  return html`
    <div class="divergence">
      <svg aria-hidden="true" viewBox="0 0 100 6" width="100" height="6">
        <path class="axis" d="M50 0v6"></path>
        <rect class="behind" x="${half - left}" y="1" width="${left}" height="4"></rect>
        <rect class="ahead" x="${half}" y="1" width="${right}" height="4"></rect>
      </svg>
      <span class="hint">${count(behind, 'behind', 'behind')},
        ${count(ahead, 'ahead', 'ahead')}<span class="unseen"> of ${base}</span></span>
    </div>
  `
}

function deletion({ token, address }: Visit, { full_path }: LocatedProject, { name, oid }: BranchRow): Html {
  return html`
    <details class="dangerous">
      <summary>Delete<span class="unseen"> <bdi>${name}</bdi></span></summary>
      <p>${branchSentences.deletion}</p>
      ${form(
        { action: `/${full_path}/branches/delete`, token, submit: t`Delete the branch`, kind: 'danger' },
        html`${hidden({ name, oid, back: address })}`,
      )}
    </details>
  `
}
