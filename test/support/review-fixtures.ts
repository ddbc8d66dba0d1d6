/** One of each thing of review, for tests that walk over all endpoints. */
import type { Forge, TestProject, TestUser } from './forge.ts'

/** Gives the project a branch with a commit, and a merge request of it into `main`; and their names in paths. */
export async function makeReview(forge: Forge, user: TestUser, project: TestProject): Promise<Record<string, string>> {
  const root = forge.as(forge.root)
  const actions = [{ action: 'create', file_path: 'topic.txt', content: 'proposed\n' }]
  const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Propose', actions }
  await root.post(`/projects/${project.id}/repository/commits`, commit)
  const request = await forge.mergeRequest(project, user, { source_branch: 'topic', title: 'Propose' })
  const [version] = (await root.get(`/projects/${project.id}/merge_requests/${request.iid}/versions`)).body
  const draft = await root.post(`/projects/${project.id}/merge_requests/${request.iid}/draft_notes`, { note: 'Is this so?' })
  return { merge_request_iid: String(request.iid), version_id: String(version.id), draft_note_id: String(draft.body.id) }
}
