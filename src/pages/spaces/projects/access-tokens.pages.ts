/** The access tokens of a project. */
import { projectView } from '../../project/project-view.ts'
import { resourceTokenPages } from '../../tokens/resource-tokens.pages.ts'

export const projectTokenPages = resourceTokenPages('project', ({ place, user }, view) =>
  place.kind === 'project' ? projectView({ project: place.row, level: place.level, user, tab: 'access-tokens' }, view) : view,
)
