/** The members of a project. */
import { memberPages } from '../../members/members.pages.ts'
import { projectView } from '../../project/project-view.ts'

export const projectMemberPages = memberPages('project', ({ place, user }, view) =>
  place.kind === 'project' ? projectView({ project: place.row, level: place.level, user, tab: 'members' }, view) : view,
)
