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
  const issue = await forge.issue(project, user, {
    title: 'First',
    description: '- [ ] a task of the project',
    label_ids: [label.id, groupLabel.id],
  })
  const second = await forge.issue(project, forge.root, { title: 'Second', assignee_ids: [user.id] })
  const client = { user_agent: 'curl/8', ip_address: '127.0.0.1', created_at: issue.created_at }
  await forge.app.db
    .insertInto('user_agent_details')
    .values({ issue_id: issue.id, ...client })
    .execute()
  const at = `/projects/${project.id}/issues/${issue.iid}`
  const { body: link } = await root.post(`${at}/links`, { target_project_id: project.id, target_issue_iid: second.iid })
  const [todo] = (await forge.as(user).get('/todos')).body
  const discussion = await forge.note(project, issue, user, { discussion: 'new' })
  await root.post(`${at}/discussions/${discussion.discussion_id}/notes`, { body: 'A reply' })
  const { body: award } = await forge.as(user).post(`${at}/award_emoji`, { name: 'tada' })
  const { body: noteAward } = await forge.as(user).post(`${at}/notes/${discussion.id}/award_emoji`, { name: 'tada' })
  const places = {
    ...(await makeMilestones(forge, group, project, [issue.iid, second.iid])),
    ...(await makeBoards(forge, group, project)),
    ...(await makeResourceEvents(forge, project, issue.iid)),
  }
  // Last: root's own acts would complete it.
  await root.post(`${at}/todo`)
  return {
    ...places,
    note_id: String(discussion.id),
    discussion_id: discussion.discussion_id,
    award_id: String(award.id),
    note_award_id: String(noteAward.id),
    issue_id: String(issue.id),
    issue_iid: String(issue.iid),
    duration: '1h',
    issue_link_id: String(link.id),
    target_project_id: String(project.id),
    target_issue_iid: String(second.iid),
    todo_id: String(todo.id),
    label_id: String(label.id),
    group_label_id: String(groupLabel.id),
  }
}

/** A milestone to the project and one to the group, each with one of the issues. */
async function makeMilestones(
  forge: Forge,
  group: LocatedGroup,
  project: TestProject,
  [one, two]: [number, number],
): Promise<Record<string, string>> {
  const create = async (place: string, title: string, iid: number) => {
    const { body } = await forge.as(forge.root).post(`/${place}/milestones`, { title })
    await forge.as(forge.root).put(`/projects/${project.id}/issues/${iid}`, { milestone_id: body.id })
    return String(body.id)
  }
  return {
    milestone_id: await create(`projects/${project.id}`, 'First milestone', one),
    group_milestone_id: await create(`groups/${group.id}`, 'First milestone of the group', two),
  }
}

/** A board with two lists to the project and one to the group; none of them of the labels of paths. */
async function makeBoards(forge: Forge, group: LocatedGroup, project: TestProject): Promise<Record<string, string>> {
  const root = forge.as(forge.root)
  const labels: number[] = []
  for (const name of ['To do', 'Doing']) labels.push((await root.post(`/groups/${group.id}/labels`, { name, color: 'navy' })).body.id)
  const create = async (place: string) => {
    const { id } = (await root.post(`/${place}/boards`, { name: 'Board' })).body
    const lists = []
    for (const label_id of labels) lists.push((await root.post(`/${place}/boards/${id}/lists`, { label_id })).body.id)
    return { board: String(id), list: String(lists[0]) }
  }
  const [ofProject, ofGroup] = [await create(`projects/${project.id}`), await create(`groups/${group.id}`)]
  return { board_id: ofProject.board, list_id: ofProject.list, group_board_id: ofGroup.board, group_list_id: ofGroup.list }
}

/** Closes the issue and opens it again. It has labels and a milestone. */
async function makeResourceEvents(forge: Forge, project: TestProject, iid: number): Promise<Record<string, string>> {
  const root = forge.as(forge.root)
  const at = `/projects/${project.id}/issues/${iid}`
  for (const state_event of ['close', 'reopen']) await root.put(at, { state_event })
  const firstOf = async (kind: string) => String((await root.get(`${at}/resource_${kind}_events`)).body[0].id)
  return {
    resource_label_event_id: await firstOf('label'),
    resource_milestone_event_id: await firstOf('milestone'),
    resource_state_event_id: await firstOf('state'),
  }
}
