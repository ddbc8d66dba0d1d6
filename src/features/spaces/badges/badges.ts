/** Badges: what other features may use. */
export { badgesOfProject } from './badges.service.ts'
