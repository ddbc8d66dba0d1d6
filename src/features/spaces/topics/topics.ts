/** Topics: what others may use of them. */
export { setTopics } from './topics.queries.ts'
export { topicError } from './topics.rules.ts'
