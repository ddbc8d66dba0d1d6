/** All lists of projects, groups and topics, and the search. */
import { dashboardPages } from './dashboard.pages.ts'
import { explorePages } from './explore.pages.ts'
import { topicPages } from './topics.pages.ts'

export const listsPages = [...dashboardPages, ...explorePages, ...topicPages]
