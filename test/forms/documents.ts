/** All fields of a form. */
export const formFields = `id databaseId name type status warmFrom hotFrom publishedAt submissionsCount
  questions { id databaseId label type position required options points { answer points } contactField version removedAt }
  outcomes { id databaseId key title text bucket position }`

/** All fields of a submission. */
export const submissionFields = `id databaseId status score bucket outcomeKey clientSubmissionId startedAt completedAt
  createdAt updatedAt aiSummary qualification { bucket outcomeKey title } attribution { key value }
  form { id name } contact { id email firstName }
  answers { id questionDatabaseId label type values score }`

export const FormRead = `query ($id: ID!) { form(id: $id) { ${formFields} } }`
export const SubmissionRead = `query ($id: ID!) { submission(id: $id) { ${submissionFields} } }`
export const Save = `mutation ($input: SubmissionSaveInput!) {
  submissionSave(input: $input) { submission { ${submissionFields} } } }`

/** Returns a mutation document with the input as a variable. */
export function mutationOf(name: string, select: string): string {
  return `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${select} } }`
}
