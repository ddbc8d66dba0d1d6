/** The input of merge messages: people, issues and the commits of a merge request. */
import type { LocatedProject } from '../../../access/find.ts'
import { pageUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import type { App } from '../../../app.ts'
import type { MergeRequest, User } from '../../../db/tables.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommitsWithin } from '../../../git/objects/read.ts'
import { noReplyAddress } from '../../people/users/users.ts'
import { peopleIds } from '../../planning/issuables/issuables.ts'
import { commitOidsOfVersion, newestVersion } from '../../review/versions/versions.ts'
import type { ClosedIssue } from './closing.ts'
import { peopleNamed } from './merging.queries.ts'
import { closesSentence, type MessageFacts } from './messages.ts'

/** Number of commits whose messages are read: the newest, fewer if they are large. */
const maxRead = 100

/** The commits of its newest version, oldest first. */
export async function commitsOf(app: App, { id, project_id }: MergeRequest): Promise<Commit[]> {
  const version = await newestVersion(app.db, id)
  const oids = version ? await commitOidsOfVersion(app.db, version.id, { limit: maxRead, offset: 0 }) : []
  return (await readCommitsWithin(app.git.open(project_id), oids)).reverse()
}

export async function commitMessages(app: App, merge_request: MergeRequest): Promise<string[]> {
  return (await commitsOf(app, merge_request)).map(({ message }) => message)
}

interface Person {
  name: string
  email: string
}

const signed = ({ name, email }: Person) => `${name} <${email}>`

export interface FactsOf {
  merge_request: MergeRequest
  project: LocatedProject
  merger: User
  commits: Commit[]
  issues: ClosedIssue[]
}

/**
 * Email addresses are only included for authors of its commits, whose commits contain them anyway, and for the user who merges, who becomes
 * the committer. Others, such as reviewers, never agreed to have theirs in the history: they get one that receives no mail. Four
 * statements.
 */
export async function factsOf(
  app: App,
  { merge_request, project, merger, commits, issues }: FactsOf,
): Promise<MessageFacts & { author: Person }> {
  const { id, iid, title, description, source_branch, target_branch, source_project_id, author_id } = merge_request
  const [reviewers, approvers] = [await peopleIds(app.db, 'merge_request_reviewers', id), await peopleIds(app.db, 'approvals', id)]
  const written = commits.flatMap((commit) => [commit.author.email, commit.committer.email])
  const people = await peopleNamed(app.db, [author_id, ...reviewers, ...approvers], [...new Set(written)])
  const personOf = (one: number): Person[] => {
    if (one === merger.id) return [merger]
    const found = people.get(one)
    return found ? [{ name: found.name, email: found.addresses[0] ?? noReplyAddress(app.config, found) }] : []
  }
  const named = (ids: number[]) => ids.flatMap(personOf).map(signed)
  const author = personOf(author_id)[0] ?? merger
  const others = commits.map((commit) => signed(commit.author)).filter((one) => one !== signed(author))
  return {
    author,
    source_branch,
    target_branch,
    title,
    description: description ?? '',
    issues: closesSentence(issues.map(({ reference }) => reference)),
    reference: `${project.full_path}!${iid}`,
    local_reference: `!${iid}`,
    url: pageUrl(app.config, mergeRequestAddress(project, iid)),
    commits: commits.map(({ message }) => message),
    merged_by: signed(merger),
    merge_request_author: signed(author),
    co_authored_by: [...new Set(others)],
    reviewed_by: named(reviewers),
    approved_by: named(approvers),
    source_project_id,
  }
}
