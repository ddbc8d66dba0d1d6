/** One of each thing of review, for tests that walk over all endpoints. */
import type { Forge, TestProject, TestUser } from './forge.ts'

/** Gives the project, which has plans, a branch with a commit, and a merge request of it into `main`; and their names in paths. */
export async function makeReview(forge: Forge, user: TestUser, project: TestProject): Promise<Record<string, string>> {
  const root = forge.as(forge.root)
  const actions = [{ action: 'create', file_path: 'topic.txt', content: 'proposed\n' }]
  const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Propose', actions }
  await root.post(`/projects/${project.id}/repository/commits`, commit)
  const issue = await forge.issue(project, user)
  const request = await forge.mergeRequest(project, user, {
    source_branch: 'topic',
    title: 'Propose',
    description: `Closes #${issue.iid}`,
    reviewer_ids: [forge.root.id],
  })
  const at = `/projects/${project.id}/merge_requests/${request.iid}`
  const { body: discussion } = await forge.as(user).post(`${at}/discussions`, { body: 'A question' })
  const note_id = String(discussion.notes[0].id)
  await root.post(`${at}/discussions/${discussion.id}/notes`, { body: 'An answer' })
  const { body: award } = await forge.as(user).post(`${at}/award_emoji`, { name: 'tada' })
  const { body: noteAward } = await forge.as(user).post(`${at}/notes/${note_id}/award_emoji`, { name: 'tada' })
  for (const body of ['/label ~bug\n/milestone %"First milestone"\n/close', '/reopen']) await root.post(`${at}/notes`, { body })
  const firstOf = async (kind: string) => String((await root.get(`${at}/resource_${kind}_events`)).body[0].id)
  const [version] = (await root.get(`/projects/${project.id}/merge_requests/${request.iid}/versions`)).body
  const { body: draft } = await forge.as(user).post(`${at}/draft_notes`, { note: 'Is this so?' })
  const commits = `/projects/${project.id}/repository/commits/main`
  const { body: onCommit } = await forge.as(user).post(`${commits}/discussions`, { body: 'About this commit' })
  const commit_note_id = String(onCommit.notes[0].id)
  const { body: commitAward } = await forge.as(user).post(`${commits}/notes/${commit_note_id}/award_emoji`, { name: 'tada' })
  return {
    commit_note_id,
    commit_discussion_id: onCommit.id,
    commit_note_award_id: String(commitAward.id),
    merge_request_iid: String(request.iid),
    version_id: String(version.id),
    draft_note_id: String(draft.id),
    merge_request_note_id: note_id,
    merge_request_discussion_id: discussion.id,
    merge_request_award_id: String(award.id),
    merge_request_note_award_id: String(noteAward.id),
    merge_request_resource_label_event_id: await firstOf('label'),
    merge_request_resource_milestone_event_id: await firstOf('milestone'),
    merge_request_resource_state_event_id: await firstOf('state'),
  }
}
