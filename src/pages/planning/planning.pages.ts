/** Every page of planning, of projects and of groups. */
import type { PlaceKind } from '../../http/declare/places.ts'
import type { Page } from '../frame/declaration.ts'
import { boardPages } from './boards/boards.pages.ts'
import { countPages } from './counts/counts.pages.ts'
import { labelPages } from './labels/labels.pages.ts'
import { dashboardMilestonePages } from './milestones/dashboard.pages.ts'
import { milestonePages } from './milestones/milestones.pages.ts'
import { framedIn } from './places/places.ts'
import { todosPages } from './todos/todos.pages.ts'

const kinds: PlaceKind[] = ['project', 'group']

export const planningPages: Page[] = [
  ...todosPages,
  ...countPages,
  ...dashboardMilestonePages,
  ...kinds.flatMap((kind) => [
    ...boardPages(kind, framedIn('boards')),
    ...labelPages(kind, framedIn('labels')),
    ...milestonePages(kind, framedIn('milestones')),
  ]),
]
