/** Every cause for which a packet gets no answer. Names are counted in metrics and written to timelines. */
export type IgnoreReason =
  | 'not-a-request'
  | 'too-many-hops'
  | 'too-many-requests'
  | 'no-message-type'
  | 'malformed-option'
  | 'relay-address-invalid'
  | 'client-address-invalid'
  | 'no-hardware-address'
  | 'client-released'
  | 'client-declined'
  | 'unknown-message-type'
  | 'other-server-selected'
  | 'netboot-options-disabled'
  | 'not-a-netboot-client'
  | 'address-wanted'
  | 'no-binary'
  | 'mac-not-allowed'
  | 'subnet-not-allowed'
  | 'link-unknown'
  | ReservationRefusal;

/** Why a MAC has no usable reservation. */
export type ReservationRefusal =
  | 'no-hardware'
  | 'several-hardware'
  | 'dhcp-disabled'
  | 'no-netboot-data'
  | 'address-invalid'
  | 'address-not-ipv4'
  | 'netmask-invalid'
  | 'gateway-invalid'
  | 'static-route-invalid'
  | 'ipxe-url-invalid'
  | 'osie-url-invalid';
