/** Sentences on the lists of projects, groups and topics, and on the page of the search. */

export const firstSteps = 'You have no projects yet. Three steps lead to the first one:'
export const pushCreates = 'A push to a new address creates a project, too:'
export const nothingStarred = 'You have not starred any project. The star on the page of a project puts it into this list.'
export const noGroups = 'You are not a member of any group. A group holds projects of several people, and further groups.'
export const noProjectMatches = 'No project matches.'
export const noGroupMatches = 'No group matches.'
export const noUserMatches = 'No user matches.'
export const noRefMatches = 'No branch or tag matches.'
export const noProjects = 'There are no projects to see yet.'
export const noPublicGroups = 'There are no groups to see yet.'
export const noTopics = 'No project that you can see has a topic yet.'
export const noTopicMatches = 'No topic matches.'
export const trendingHint = 'Those with the most stars of the projects that were active in the last 30 days.'
export const noTrending = 'No project was active in the last 30 days.'

export const searchHint = 'Projects and groups are found by name, path and description; users by name. Several words must all occur.'
export const searchInProject =
  'Branches and tags are found by name. Files are found by path with the file finder. Code and commits cannot be searched yet.'
export const signInToSearch = 'Sign in to find users.'
