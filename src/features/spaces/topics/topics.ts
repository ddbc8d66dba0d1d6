/** Topics: what other features may use. */
export { type CountedTopic, findTopicByName, listTopics, setTopics } from './topics.queries.ts'
export { topicError } from './topics.rules.ts'
