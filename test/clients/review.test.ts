/** Clients of the interface that know nothing of us, unmodified, review: merge requests, discussions on lines, approvals, merging. */
import { Gitlab } from '@gitbeaker/rest'
import { expect } from 'vitest'
import { inFullRun } from '../support/run/tiers.ts'
import { clientTest, clientTestIf } from './client-test.ts'
import { python, ruby, runs } from './programs.ts'

const others = inFullRun('1 to 3 s of processor each. clients.test.ts has each client in the gate, and src/ asks for what they ask.')

clientTestIf(python !== undefined)('python3-gitlab', others, async (forge) => {
  expect(await runs(forge, python as string, 'python_review.py')).toBe('all is well')
})

clientTestIf(ruby !== undefined)('ruby-gitlab', others, async (forge) => {
  expect(await runs(forge, ruby as string, 'ruby_review.rb')).toBe('all is well')
})

clientTest('@gitbeaker/rest', others, async (forge) => {
  const [owner, reviewer] = [await forge.user(), await forge.user()]
  const { id } = await forge.project({ owner, developer: reviewer, files: { 'README.md': 'one\ntwo\n' } })
  const host = await forge.url()
  const [api, asReviewer] = [new Gitlab({ host, token: owner.token }), new Gitlab({ host, token: reviewer.token })]
  await api.Issues.create(id, 'To be closed')
  const actions = [{ action: 'update' as const, filePath: 'README.md', content: 'one\n2\n' }]
  await api.Commits.create(id, 'topic', 'Change two', actions, { startBranch: 'main' })

  const made = await api.MergeRequests.create(id, 'topic', 'main', 'Draft: Change it', {
    description: 'Closes #1',
    reviewerIds: [reviewer.id],
    labels: 'bug',
  })
  expect(made).toMatchObject({
    iid: 1,
    draft: true,
    state: 'opened',
    labels: ['bug'],
    references: { short: '!1' },
    detailed_merge_status: expect.any(String),
  })
  expect((await api.MergeRequests.edit(id, 1, { title: 'Change it' })).draft).toBe(false)
  expect((await api.MergeRequests.all({ projectId: id, state: 'opened' })).map(({ iid }) => iid)).toEqual([1])
  expect(
    (await asReviewer.MergeRequests.all({ scope: 'all', reviewerUsername: reviewer.username } as never)).map(({ iid }) => iid),
  ).toEqual([1])
  const shown = await api.MergeRequests.show(id, 1, { includeDivergedCommitsCount: true })
  expect(shown).toMatchObject({ changes_count: '1', diverged_commits_count: 0, has_conflicts: false })
  expect((await api.MergeRequests.allCommits(id, 1)).map(({ title }) => title)).toEqual(['Change two'])
  expect((await api.MergeRequests.allDiffs(id, 1)).map(({ new_path }) => new_path)).toEqual(['README.md'])
  const versions = await api.MergeRequests.allDiffVersions(id, 1)
  expect((await api.MergeRequests.showDiffVersion(id, 1, (versions[0] as { id: number }).id)).head_commit_sha).toBe(made.sha)
  expect((await api.MergeRequests.allIssuesClosed(id, 1)).map(({ iid }) => iid)).toEqual([1])
  expect((await api.MergeRequests.allParticipants(id, 1)).map(({ username }) => username)).toContain(owner.username)
  expect(await api.MergeRequests.showReviewers(id, 1)).toMatchObject([{ user: { username: reviewer.username } }])

  const note = await asReviewer.MergeRequestNotes.create(id, 1, 'Words')
  expect((await asReviewer.MergeRequestNotes.edit(id, 1, note.id, { body: 'Other words' })).body).toBe('Other words')
  const { base_sha, start_sha, head_sha } = shown.diff_refs
  const position = {
    baseSha: base_sha,
    startSha: start_sha,
    headSha: head_sha,
    positionType: 'text' as const,
    oldPath: 'README.md',
    newPath: 'README.md',
    newLine: '2',
  }
  const discussion = await asReviewer.MergeRequestDiscussions.create(id, 1, 'Why?', { position })
  expect(discussion.notes?.[0]).toMatchObject({ type: 'DiffNote', resolvable: true, resolved: false, position: { new_line: 2 } })
  await api.MergeRequestDiscussions.addNote(id, 1, discussion.id, 'Because')
  const resolved = await api.MergeRequestDiscussions.resolve(id, 1, discussion.id, true)
  expect(resolved.notes?.map((one) => one.resolved)).toEqual([true, true])
  const draft = await asReviewer.MergeRequestDraftNotes.create(id, 1, 'Later')
  expect(await api.MergeRequestDraftNotes.all(id, 1)).toEqual([])
  await asReviewer.MergeRequestDraftNotes.publish(id, 1, draft.id)
  await asReviewer.MergeRequestAwardEmojis.award(id, 1, 'thumbsup')
  expect((await api.MergeRequests.show(id, 1)).upvotes).toBe(1)

  await asReviewer.MergeRequestApprovals.approve(id, 1)
  expect((await api.MergeRequestApprovals.showConfiguration(id, { mergerequestIId: 1 })).approved_by).toMatchObject([
    { user: { username: reviewer.username } },
  ])
  await asReviewer.MergeRequestApprovals.unapprove(id, 1)
  expect(await api.MergeRequests.merge(id, 1, { squash: true, shouldRemoveSourceBranch: true })).toMatchObject({ state: 'merged' })
  expect((await api.Issues.show(1, { projectId: id })).state).toBe('closed')
  expect((await api.MergeRequestLabelEvents.all(id, 1)).map(({ action }) => action)).toEqual(['add'])

  const head = (await api.Commits.show(id, 'main')).id
  const talk = await api.CommitDiscussions.create(id, head, 'Why that?')
  await asReviewer.CommitDiscussions.addNote(id, head, talk.id, 'Because')
  expect((await api.CommitDiscussions.all(id, head)).map(({ notes }) => notes?.map(({ body }) => body))).toEqual([['Why that?', 'Because']])
  expect((await api.Commits.allMergeRequests(id, head)).map(({ iid }) => iid)).toEqual([1])
})
