/** One of each thing of planning, for tests that walk over all endpoints. */
import type { LocatedGroup } from '../../src/access/find.ts'
import type { Forge, TestProject, TestUser } from './forge.ts'

/** Gives the project and the group labels, and the project issues of the user and of root; and their names in paths. */
export async function makePlanning(
  forge: Forge,
  user: TestUser,
  group: LocatedGroup,
  project: TestProject,
): Promise<Record<string, string>> {
  const root = forge.as(forge.root)
  const { body: label } = await root.post(`/projects/${project.id}/labels`, { name: 'bug', color: '#ff0000' })
  const { body: groupLabel } = await root.post(`/groups/${group.id}/labels`, { name: 'feature', color: '#00ff00' })
  const issue = await forge.issue(project, user, { title: 'First', description: '- [ ] a task', label_ids: [label.id, groupLabel.id] })
  const second = await forge.issue(project, forge.root, { title: 'Second', assignee_ids: [user.id] })
  const client = { user_agent: 'curl/8', ip_address: '127.0.0.1', created_at: issue.created_at }
  await forge.app.db
    .insertInto('user_agent_details')
    .values({ issue_id: issue.id, ...client })
    .execute()
  const at = `/projects/${project.id}/issues/${issue.iid}`
  const { body: link } = await root.post(`${at}/links`, { target_project_id: project.id, target_issue_iid: second.iid })
  await root.post(`${at}/todo`)
  const [todo] = (await forge.as(user).get('/todos')).body
  const discussion = await forge.note(project, issue, user, { discussion: 'new' })
  await root.post(`${at}/discussions/${discussion.discussion_id}/notes`, { body: 'A reply' })
  const { body: award } = await forge.as(user).post(`${at}/award_emoji`, { name: 'tada' })
  const { body: noteAward } = await forge.as(user).post(`${at}/notes/${discussion.id}/award_emoji`, { name: 'tada' })
  return {
    note_id: String(discussion.id),
    discussion_id: discussion.discussion_id,
    award_id: String(award.id),
    note_award_id: String(noteAward.id),
    issue_iid: String(issue.iid),
    duration: '1h',
    issue_link_id: String(link.id),
    todo_id: String(todo.id),
    label_id: String(label.id),
    group_label_id: String(groupLabel.id),
  }
}
