/** Badges: what others may use of them. */
export { badgesOfProject } from './badges.service.ts'
