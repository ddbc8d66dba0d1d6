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
  const at = `/projects/${project.id}/issues/${issue.iid}`
  const { body: link } = await root.post(`${at}/links`, { target_project_id: project.id, target_issue_iid: second.iid })
  await root.post(`${at}/todo`)
  const [todo] = (await forge.as(user).get('/todos')).body
  return {
    issue_iid: String(issue.iid),
    issue_link_id: String(link.id),
    todo_id: String(todo.id),
    label_id: String(label.id),
    group_label_id: String(groupLabel.id),
  }
}
