/** GraphQL documents that the sequence tests share. */
export const sequenceRead = `query ($id: ID!) { sequence(id: $id) {
  id databaseId name type createdAt activeContacts stagesCount
  stages { databaseId step name stageType timeValue timeType active smsText email { subject html htmlUrl }
    action { kind url tag { databaseId } sequence { databaseId } } } } }`

export const enrolmentRead = `query ($id: ID!) { node(id: $id) { ... on Enrolment {
  state enrolledAt anchorDate lastStage { databaseId } lastDoneAt nextStage { databaseId } dueAt endedAt
  sequence { databaseId } contact { databaseId } } } }`

export const stageUpdate = `mutation ($input: SequenceStageUpdateInput!) {
  sequenceStageUpdate(input: $input) { stage { databaseId step name timeValue timeType active } } }`

export const stageDelete =
  'mutation ($id: ID!) { sequenceStageDelete(input: { id: $id }) { deletedSequenceStageId sequence { stagesCount } } }'

export const stageCreate = `mutation ($input: SequenceStageCreateInput!) {
  sequenceStageCreate(input: $input) { stage { id databaseId step name stageType timeValue timeType active
    email { subject fromName fromEmail html htmlUrl } action { kind } smsText } } }`

export const contentSet = `mutation ($input: SequenceStageContentSetInput!) {
  sequenceStageContentSet(input: $input) { stage { id active } email { databaseId subject fromName fromEmail html text htmlUrl textUrl } } }`

export const unsubscribe = `mutation ($contact: ContactRefInput!, $sequenceId: ID!) {
  sequenceUnenrol(input: { contact: $contact, sequenceId: $sequenceId }) { contactDatabaseId sequence { databaseId } } }`

export const subscribe = `mutation ($input: SequenceEnrolInput!) {
  sequenceEnrol(input: $input) { contactDatabaseId sequence { databaseId } contact { email }
    enrolment { id databaseId state anchorDate enrolledAt dueAt nextStage { databaseId } } } }`
