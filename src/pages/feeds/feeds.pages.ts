/** Feeds, authenticated by a session or by the feed token of a user, with the same access rules as their pages. */

import { unauthorized } from '../../failure.ts'
import { t } from '../../html/sentences.ts'
import { anyone, group, project } from '../../http/declare/rules.ts'
import { userById, within } from '../../http/declare/within.ts'
import { page } from '../frame/declaration.ts'
import { whoSees } from '../frame/who-sees.ts'
import { activityFeed } from './activity.ts'
import { principalByFeedToken } from './feed-caller.ts'
import { commitsFeed, tagsFeed } from './refs.ts'

const principalBy = principalByFeedToken

export const feedPages = [
  page('GET /dashboard/projects.atom', {
    access: anyone(),
    principalBy,
    show({ app, user }) {
      // Feed readers can't use the sign-in page.
      if (!user) throw unauthorized()
      const about = { kind: 'dashboard', id: user.id, created_at: user.created_at }
      return activityFeed(app, {
        viewer: user,
        scope: { member_id: user.id },
        title: t`Activity of ${user.name}’s projects`,
        path: 'dashboard/projects',
        about,
      })
    },
  }),
  page('GET /:project/commits/*.atom', {
    access: project('code'),
    principalBy,
    show: ({ params, ...context }) => commitsFeed(context, params['*']),
  }),
  page('GET /:project/tags.atom', { access: project('code'), principalBy, show: tagsFeed }),
  page('GET /:project.atom', {
    access: project('visible'),
    principalBy,
    show: ({ app, user, project: { id, full_path, created_at } }) =>
      activityFeed(app, {
        viewer: user,
        scope: { project_id: id },
        title: `${full_path}: activity`,
        path: full_path,
        about: { kind: 'project', id, created_at },
      }),
  }),
  page('GET /:group.atom', {
    access: group('visible'),
    principalBy,
    show: ({ app, user, group: { id, full_path, created_at } }) =>
      activityFeed(app, {
        viewer: user,
        scope: { group_id: id },
        title: `${full_path}: activity`,
        path: full_path,
        about: { kind: 'group', id, created_at },
      }),
  }),
  page('GET /:user.atom', {
    access: within(whoSees, userById),
    principalBy,
    show({ app, user, owner: { id, username, name, private_profile, created_at } }) {
      const isHidden = private_profile && !user?.admin && user?.id !== id
      return activityFeed(app, {
        viewer: user,
        scope: isHidden ? null : { author_id: id },
        title: t`Activity of ${name}`,
        path: username,
        about: { kind: 'user', id, created_at: isHidden ? '1970-01-01T00:00:00.000Z' : created_at },
      })
    },
  }),
]
