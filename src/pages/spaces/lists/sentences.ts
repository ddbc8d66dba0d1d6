/** Messages of the lists of projects, groups and topics, and of the search page. */
import { t } from '../../../html/sentences.ts'

export const firstSteps = () => t`You have no projects yet. Three steps lead to the first one:`
export const pushCreates = () => t`A push to a new address creates a project, too:`
export const nothingStarred = () => t`You have not starred any project. The star on the page of a project puts it into this list.`
export const noGroups = () => t`You are not a member of any group. A group holds projects of several people, and further groups.`
export const noProjectMatches = () => t`No project matches.`
export const noGroupMatches = () => t`No group matches.`
export const noUserMatches = () => t`No user matches.`
export const noRefMatches = () => t`No branch or tag matches.`
export const noProjects = () => t`There are no projects to see yet.`
export const noPublicGroups = () => t`There are no groups to see yet.`
export const noTopics = () => t`No project that you can see has a topic yet.`
export const noTopicMatches = () => t`No topic matches.`
export const trendingHint = () => t`Those with the most stars of the projects that were active in the last 30 days.`
export const noTrending = () => t`No project was active in the last 30 days.`
