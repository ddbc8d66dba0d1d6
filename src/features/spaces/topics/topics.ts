/** Topics: what others may use of them. */
export { type CountedTopic, findTopicByName, listTopics, setTopics } from './topics.queries.ts'
export { topicError } from './topics.rules.ts'
