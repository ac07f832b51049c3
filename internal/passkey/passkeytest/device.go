// Package passkeytest has a device with passkeys, for tests without a browser.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"
)

// Device holds one passkey.
type Device struct {
	t      testing.TB
	Origin string // the site that its browser shows
	// Counter is how often the key was used. Fixed means that it does not count on.
	Counter uint32
	Fixed   bool
	// Unverified means that the device does not verify its holder.
	Unverified bool

	key      *ecdsa.PrivateKey
	id, user []byte
}

// New returns a device whose browser is at an origin.
func New(t testing.TB, origin string) *Device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	d := &Device{t: t, Origin: origin, key: key, id: make([]byte, 32)}
	if _, err := rand.Read(d.id); err != nil {
		t.Fatal(err)
	}
	return d
}

// Copy returns a device with the same key, as a thief of the key would have.
func (d *Device) Copy() *Device {
	other := *d
	return &other
}

type options struct {
	PublicKey struct {
		Challenge string                `json:"challenge"`
		RPID      string                `json:"rpId"`
		RP        struct{ ID string }   `json:"rp"`
		User      struct{ ID string }   `json:"user"`
		Exclude   []struct{ ID string } `json:"excludeCredentials"`
	} `json:"publicKey"`
}

// Create answers the options for a new passkey.
func (d *Device) Create(asked []byte) string {
	d.t.Helper()
	o := d.read(asked)
	d.user = d.decode(o.PublicKey.User.ID)
	at := d.authenticatorData(o.PublicKey.RP.ID, 0x40)
	at = append(at, make([]byte, 16)...) // of no known make
	at = binary.BigEndian.AppendUint16(at, uint16(len(d.id)))
	at = append(at, d.id...)
	at = append(at, d.cose()...)
	object := append([]byte{0xa3}, cborText("fmt")...)
	object = append(object, cborText("none")...)
	object = append(append(object, cborText("attStmt")...), 0xa0)
	object = append(append(object, cborText("authData")...), 0x58, byte(len(at)))
	object = append(object, at...)
	return d.answer(map[string]string{"clientDataJSON": d.client("webauthn.create", o), "attestationObject": encode(object)})
}

// Get answers the options for a sign-in.
func (d *Device) Get(asked []byte) string {
	d.t.Helper()
	o := d.read(asked)
	if !d.Fixed {
		d.Counter++
	}
	at := d.authenticatorData(o.PublicKey.RPID, 0)
	client := d.client("webauthn.get", o)
	hash := sha256.Sum256(d.decode(client))
	sum := sha256.Sum256(append(at[:len(at):len(at)], hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, sum[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.answer(map[string]string{"clientDataJSON": client, "authenticatorData": encode(at), "signature": encode(signature), "userHandle": encode(d.user)})
}

func (d *Device) read(asked []byte) (o options) {
	d.t.Helper()
	if err := json.Unmarshal(asked, &o); err != nil {
		d.t.Fatal(err)
	}
	return o
}

func (d *Device) answer(response map[string]string) string {
	answer, err := json.Marshal(map[string]any{
		"id": encode(d.id), "rawId": encode(d.id), "type": "public-key", "clientExtensionResults": map[string]any{}, "response": response,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return string(answer)
}

func (d *Device) client(kind string, o options) string {
	data, err := json.Marshal(map[string]any{"type": kind, "challenge": o.PublicKey.Challenge, "origin": d.Origin, "crossOrigin": false})
	if err != nil {
		d.t.Fatal(err)
	}
	return encode(data)
}

// authenticatorData is hash of the site, flags (present, verified, more) and counter.
func (d *Device) authenticatorData(site string, more byte) []byte {
	hash := sha256.Sum256([]byte(site))
	flags := 0x01 | more
	if !d.Unverified {
		flags |= 0x04
	}
	return binary.BigEndian.AppendUint32(append(hash[:], flags), d.Counter)
}

// cose is the public key: EC2, ES256, P-256, x and y.
func (d *Device) cose() []byte {
	point, err := d.key.PublicKey.Bytes()
	if err != nil {
		d.t.Fatal(err)
	}
	out := append([]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20}, point[1:33]...)
	return append(append(out, 0x22, 0x58, 0x20), point[33:]...)
}

func (d *Device) decode(s string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func cborText(s string) []byte { return append([]byte{0x60 | byte(len(s))}, s...) }
