// Package backupstore keeps the files of backups in a folder or in an S3-compatible
// store.
package backupstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"watchpost/internal/atomicfile"
	"watchpost/persistence/backup"
)

// Open opens a place of backups: a folder, or s3+https://host/bucket/prefix
// (s3+http:// without TLS) with the credentials of the variables AWS_ACCESS_KEY_ID
// and AWS_SECRET_ACCESS_KEY.
func Open(place string) (backup.Files, error) {
	if !strings.HasPrefix(place, "s3+") {
		if place == "" {
			return nil, errors.New("want a folder, or s3+https://host/bucket/prefix")
		}
		return folder(place), nil
	}
	u, err := url.Parse(strings.TrimPrefix(place, "s3+"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("want s3+https://host/bucket/prefix")
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if bucket == "" {
		return nil, errors.New("want s3+https://host/bucket/prefix: the bucket is missing")
	}
	client, err := minio.New(u.Host, &minio.Options{Creds: credentials.NewEnvAWS(), Secure: u.Scheme == "https"})
	if err != nil {
		return nil, err
	}
	if prefix != "" {
		prefix += "/"
	}
	return &s3{client, bucket, prefix}, nil
}

// CheckWritable reports why a place cannot be written to, as far as the machine tells: a
// folder is made and tried, a bucket is not asked.
func CheckWritable(place string) error {
	if strings.HasPrefix(place, "s3+") {
		return nil
	}
	if err := os.MkdirAll(place, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(place, ".writable-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// folder is a folder of the machine.
type folder string

// Put implements backup.Files.
func (f folder) Put(_ context.Context, name string, content []byte) error {
	file := filepath.Join(string(f), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteFile(file, content)
}

// Get implements backup.Files.
func (f folder) Get(_ context.Context, name string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(string(f), filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		err = backup.ErrFileNotFound
	}
	return content, err
}

// List implements backup.Files.
func (f folder) List(_ context.Context, prefix string) (names []string, err error) {
	err = filepath.WalkDir(string(f), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(string(f), file)
		if name = filepath.ToSlash(name); err == nil && strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// s3 is a prefix of a bucket.
type s3 struct {
	client *minio.Client
	bucket string
	prefix string
}

// Put implements backup.Files. The store checks the content by its checksum.
func (s *s3) Put(ctx context.Context, name string, content []byte) error {
	_, err := s.client.PutObject(ctx, s.bucket, s.prefix+name, bytes.NewReader(content), int64(len(content)),
		minio.PutObjectOptions{ContentType: "application/octet-stream", SendContentMd5: true})
	if err != nil {
		return fmt.Errorf("write %s to bucket %s: %w", name, s.bucket, err)
	}
	return nil
}

// Get implements backup.Files.
func (s *s3) Get(ctx context.Context, name string) ([]byte, error) {
	object, err := s.client.GetObject(ctx, s.bucket, s.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	defer object.Close() //nolint:errcheck // it is only read
	content, err := io.ReadAll(object)
	if minio.ToErrorResponse(err).Code == "NoSuchKey" {
		return nil, backup.ErrFileNotFound
	}
	return content, err
}

// List implements backup.Files.
func (s *s3) List(ctx context.Context, prefix string) (names []string, err error) {
	for object := range s.client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix + prefix, Recursive: true}) {
		if object.Err != nil {
			return nil, object.Err
		}
		names = append(names, strings.TrimPrefix(object.Key, s.prefix))
	}
	return names, nil
}
