package actors

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
	mac  []byte
	aead cipher.AEAD
}

// NewKeyring derives a keyring from a master key of MasterKeySize bytes.
func NewKeyring(master []byte) (*Keyring, error) {
	if len(master) != MasterKeySize {
		return nil, fmt.Errorf("master key: want %d bytes, got %d", MasterKeySize, len(master))
	}
	mac, err := hkdf.Key(sha256.New, master, nil, "watchpost lookup", 32)
	if err != nil {
		return nil, err
	}
	seal, err := hkdf.Key(sha256.New, master, nil, "watchpost seal", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(seal)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &Keyring{mac: mac, aead: aead}, nil
}

// Fingerprint tells the master key from others and says nothing else of it.
func (k *Keyring) Fingerprint() string { return k.hash("fingerprint", "") }

// BackupName returns a name for a part of a backup that says nothing of its content.
func (k *Keyring) BackupName(sum string) string { return k.hash("backup", sum) }

// hash returns the keyed hash under which a secret of that use is looked up.
func (k *Keyring) hash(use, secret string) string {
	m := hmac.New(sha256.New, k.mac)
	m.Write([]byte(use))
	m.Write([]byte{0})
	m.Write([]byte(secret))
	return hex.EncodeToString(m.Sum(nil))
}

// seal encrypts a secret; owner must be given again to open it.
func (k *Keyring) seal(secret, owner string) []byte {
	nonce := make([]byte, k.aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		panic(err) // the runtime aborts before this can happen
	}
	return k.aead.Seal(nonce, nonce, []byte(secret), []byte(owner))
}

// open decrypts what seal made.
func (k *Keyring) open(sealed []byte, owner string) (string, error) {
	if len(sealed) < k.aead.NonceSize() {
		return "", errors.New("sealed secret is too short")
	}
	n := k.aead.NonceSize()
	plain, err := k.aead.Open(nil, sealed[:n], sealed[n:], []byte(owner))
	return string(plain), err
}
