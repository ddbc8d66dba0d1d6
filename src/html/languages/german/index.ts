/** German: all tables. The sentences of a wing of the pages are in a table of its name, those of several in `common`. */
import { activity } from './activity.ts'
import { ci } from './ci.ts'
import { common } from './common.ts'
import { documents } from './documents.ts'
import { feeds } from './feeds.ts'
import { frame } from './frame.ts'
import { instance } from './instance.ts'
import { integrations } from './integrations.ts'
import { members } from './members.ts'
import { people } from './people.ts'
import { planning } from './planning.ts'
import { project } from './project.ts'
import { refusals } from './refusals.ts'
import { repository } from './repository.ts'
import { review } from './review.ts'
import { search } from './search.ts'
import { spaces } from './spaces.ts'
import { tokens } from './tokens.ts'
import { web } from './web.ts'

export const german = {
  pages: {
    ...activity,
    ...ci,
    ...common,
    ...documents,
    ...feeds,
    ...frame,
    ...instance,
    ...integrations,
    ...members,
    ...people,
    ...planning,
    ...project,
    ...repository,
    ...review,
    ...search,
    ...spaces,
    ...tokens,
    ...web,
  },
  scripts: web,
  refusals,
}
