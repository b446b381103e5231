// What a front end with Relay would write; compiled by the test, never run.
import { graphql } from 'react-relay'

export const Page = graphql`
  query contactsPageQuery($count: Int!, $cursor: String) {
    ...contacts_list @arguments(count: $count, cursor: $cursor)
  }
`

export const List = graphql`
  fragment contacts_list on Query
  @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" })
  @refetchable(queryName: "contactsPaginationQuery") {
    contacts(first: $count, after: $cursor) @connection(key: "contacts_contacts") {
      edges {
        node {
          id
          email
          ...contacts_contact
        }
      }
    }
  }
`

export const Contact = graphql`
  fragment contacts_contact on Contact @refetchable(queryName: "contactsContactQuery") {
    id
    firstName
    orders(first: 3) {
      edges {
        node {
          id
          amount {
            amount
            currency
          }
        }
      }
    }
  }
`

export const Create = graphql`
  mutation contactsCreateMutation($input: ContactCreateInput!, $connections: [ID!]!) {
    contactCreate(input: $input) {
      contact @prependNode(connections: $connections, edgeTypeName: "ContactEdge") {
        id
        email
      }
    }
  }
`

export const Events = graphql`
  subscription contactsEventsSubscription($after: String) {
    events(after: $after) {
      cursor
      type
    }
  }
`
