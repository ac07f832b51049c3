// Package vault keeps the secrets of the store: a keyring that seals, opens and hashes them,
// its binding to the store, and the rotation of the master key.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// MasterKeySize is the length of a master key in bytes.
const MasterKeySize = 32

// Keyring derives keys from the master key that protect stored secrets: API keys
// are looked up by a keyed hash and kept encrypted so that the dashboard can
// reveal them; tokens and one-time codes are kept as keyed hashes only.
type Keyring struct {
	// print is the fingerprint of the master key.
	print string
	// mac is the key of lookups: derived from the master key, or after a rotation
	// that of the store.
	mac  []byte
	aead cipher.AEAD
	// wrap seals mac.
	wrap cipher.AEAD
	// backups is the key of the seals of backups.
	backups []byte
	// second is of another master key, whose sealed secrets are opened too; nil
	// outside of a rotation.
	second *Keyring
}

// NewKeyring derives a keyring from a master key of MasterKeySize bytes. With a second
// keyring it also opens what that one has sealed.
func NewKeyring(master []byte, second ...*Keyring) (*Keyring, error) {
	if len(master) != MasterKeySize {
		return nil, fmt.Errorf("master key: want %d bytes, got %d", MasterKeySize, len(master))
	}
	mac, err := hkdf.Key(sha256.New, master, nil, "watchpost lookup", 32)
	if err != nil {
		return nil, err
	}
	k := &Keyring{mac: mac}
	if k.backups, err = hkdf.Key(sha256.New, master, nil, "watchpost backup seal", 32); err != nil {
		return nil, err
	}
	if k.aead, err = newSealer(master, "watchpost seal"); err != nil {
		return nil, err
	}
	if k.wrap, err = newSealer(master, "watchpost lookup key"); err != nil {
		return nil, err
	}
	if len(second) > 0 {
		k.second = second[0]
	}
	k.print = k.Hash("fingerprint", "")
	return k, nil
}

// newSealer derives a cipher for one use from a master key.
func newSealer(master []byte, use string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, master, nil, use, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// Fingerprint tells the master key from others and says nothing else of it.
func (k *Keyring) Fingerprint() string { return k.print }

// BackupName returns a name for a part of a backup that says nothing of its content.
func (k *Keyring) BackupName(sum string) string { return k.Hash("backup", sum) }

// SealBackup returns a seal that only holders of the master key can make for a content.
func (k *Keyring) SealBackup(content []byte) string {
	m := hmac.New(sha256.New, k.backups)
	m.Write(content)
	return hex.EncodeToString(m.Sum(nil))
}

// SealedBackup reports whether SealBackup made a seal for the content, with this or the
// second master key.
func (k *Keyring) SealedBackup(content []byte, seal string) bool {
	return hmac.Equal([]byte(k.SealBackup(content)), []byte(seal)) || k.second != nil && k.second.SealedBackup(content, seal)
}

// Holds reports whether a fingerprint is that of this or of the second master key.
func (k *Keyring) Holds(fingerprint string) bool {
	return k.print == fingerprint || k.second != nil && k.second.Holds(fingerprint)
}

// Hash returns the keyed hash under which a secret of that use is looked up.
func (k *Keyring) Hash(use, secret string) string {
	m := hmac.New(sha256.New, k.mac)
	m.Write([]byte(use))
	m.Write([]byte{0})
	m.Write([]byte(secret))
	return hex.EncodeToString(m.Sum(nil))
}

// Seal encrypts a secret; owner must be given again to open it.
func (k *Keyring) Seal(secret, owner string) []byte { return seal(k.aead, secret, owner) }

// Open decrypts what seal made, with this or the second master key.
func (k *Keyring) Open(sealed []byte, owner string) (string, error) {
	plain, err := open(k.aead, sealed, owner)
	if err != nil && k.second != nil {
		return open(k.second.aead, sealed, owner)
	}
	return plain, err
}

// Reseal seals a secret again with this master key. changed is false if it is already, or
// if there is none.
func (k *Keyring) Reseal(sealed []byte, owner string) (again []byte, changed bool, err error) {
	if k.current(sealed, owner) {
		return sealed, false, nil
	}
	secret, err := k.Open(sealed, owner)
	if err != nil {
		return nil, false, err
	}
	return k.Seal(secret, owner), true, nil
}

// current reports whether a secret, if there is one, is sealed with this master key.
func (k *Keyring) current(sealed []byte, owner string) bool {
	_, err := open(k.aead, sealed, owner)
	return err == nil || len(sealed) == 0
}

func seal(c cipher.AEAD, secret, owner string) []byte {
	nonce := make([]byte, c.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		panic(err) // the runtime aborts before this can happen
	}
	return c.Seal(nonce, nonce, []byte(secret), []byte(owner))
}

func open(c cipher.AEAD, sealed []byte, owner string) (string, error) {
	n := c.NonceSize()
	if len(sealed) < n {
		return "", errors.New("sealed secret is too short")
	}
	plain, err := c.Open(nil, sealed[:n], sealed[n:], []byte(owner))
	return string(plain), err
}
