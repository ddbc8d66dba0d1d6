/** Links of groups to the directory: what pages may use of them. */
export { listLinks } from './group-links.queries.ts'
export { addLink, followSoon, removeLinks } from './group-links.service.ts'
