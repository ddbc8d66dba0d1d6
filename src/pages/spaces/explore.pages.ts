/** Lists of projects and groups, one's own and all that can be seen. */
import { Type } from 'typebox'
import { anyone, signedIn } from '../../http/rules.ts'
import { page } from '../frame/declaration.ts'
import { pageNumber } from '../frame/paging.ts'
import { dashboard, exploreProjects } from './project-lists.ts'

const query = { ...pageNumber, search: Type.Optional(Type.String()) }

export const explorePages = [
  page('GET /dashboard/projects', {
    access: signedIn(),
    query: pageNumber,
    show: ({ app, user, sent }) => dashboard(app, user, sent.page),
  }),
  page('GET /explore', { access: anyone(), show: () => ({ redirect: '/explore/projects' }) }),
  page('GET /explore/projects', { access: anyone(), query, show: ({ app, user, sent }) => exploreProjects(app, user, sent) }),
]
